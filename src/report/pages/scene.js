/* The view of molecules in a report: a surface, a ribbon, and sticks of the residues between them. It reads its data
 * from the attributes that report/scene.c writes, needs WebGL 2 and loads nothing. Lengths are in Å. */
(() => {
"use strict";

const contact = 5; /* Å between heavy atoms of partners, as in the table of contacts */
const radii = { H: 1.1, C: 1.7, N: 1.55, O: 1.52, S: 1.8, P: 1.8 };
const elementColours = { N: [0.2, 0.35, 0.9], O: [0.88, 0.2, 0.16], S: [0.85, 0.7, 0.15], P: [0.95, 0.5, 0.1] };
const colours = { surface: [0.72, 0.74, 0.77], patch: [0.48, 0.72, 0.66], first: [0.0, 0.55, 0.42],
                  ribbon: [0.9, 0.42, 0.12], second: [0.93, 0.6, 0.2] };

/* ---- Data ---- */

const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

function readBody(element) {
  const data = element.dataset, count = Number(data.atoms), step = Number(data.step);
  const origin = data.origin.split(" ").map(Number), raw = new DataView(bytesOf(data.places).buffer);
  const places = new Float32Array(3 * count), owner = new Uint32Array(count);
  for (let i = 0; i < 3 * count; i++) places[i] = origin[i % 3] + step * raw.getInt16(2 * i, true);
  const table = new DataView(bytesOf(data.residues).buffer), residues = [];
  const labels = data.labels.split("|");
  for (let i = 0, first = 0; i < labels.length; i++) {
    const atoms = table.getUint16(4 * i, true), trace = table.getUint16(4 * i + 2, true);
    residues.push({ label: labels[i], first, end: first + atoms, trace: trace < atoms ? first + trace : -1 });
    owner.fill(i, first, first + atoms);
    first += atoms;
  }
  return { name: data.name, coarse: data.coarse === "1", count, places, elements: data.elements, owner, residues };
}

function readModel(element) {
  const pose = element.dataset.pose.split(" ").map(Number), link = element.querySelector("a");
  return { element, body: Number(element.dataset.body), rotation: pose.slice(0, 9), shift: pose.slice(9),
           name: element.dataset.name, text: element.dataset.text, link };
}

/* ---- Vectors ---- */

const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mix = (a, b, t) => [0, 1, 2].map(k => a[k] + t * (b[k] - a[k]));
const unit = a => { const length = Math.hypot(...a) || 1; return a.map(value => value / length); };
const point = (places, i) => [places[3 * i], places[3 * i + 1], places[3 * i + 2]];
const turn = (m, a) => [0, 3, 6].map(k => m[k] * a[0] + m[k + 1] * a[1] + m[k + 2] * a[2]);
const placed = (model, a) => turn(model.rotation, a).map((value, k) => value + model.shift[k]);
const product = (a, b) => [...Array(9).keys()].map(i =>
  a[i - i % 3] * b[i % 3] + a[i - i % 3 + 1] * b[3 + i % 3] + a[i - i % 3 + 2] * b[6 + i % 3]);

function centreOf(body) {
  const sum = [0, 0, 0];
  for (let i = 0; i < body.places.length; i++) sum[i % 3] += body.places[i] / body.count;
  return sum;
}

/* ---- Meshes: positions, normals and colours of nodes, and triangles ---- */

const newMesh = () => ({ positions: [], normals: [], colours: [], triangles: [] });

function addNode(mesh, position, normal, colour) {
  mesh.positions.push(position[0], position[1], position[2]);
  mesh.normals.push(normal[0], normal[1], normal[2]);
  mesh.colours.push(colour[0], colour[1], colour[2]);
  return mesh.positions.length / 3 - 1;
}

/* The sum of a Gaussian for each atom, which is 1 at the atom's radius, on a grid of about a million points. */
function fieldOf(body) {
  const low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9], sharpness = 2.2, reach = 1.75, margin = body.coarse ? 9 : 5;
  for (let i = 0; i < body.places.length; i++) {
    low[i % 3] = Math.min(low[i % 3], body.places[i] - margin);
    high[i % 3] = Math.max(high[i % 3], body.places[i] + margin);
  }
  const volume = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
  const step = Math.max(0.9, Math.cbrt(volume / 1e6));
  const [nx, ny, nz] = [0, 1, 2].map(k => Math.ceil((high[k] - low[k]) / step) + 2);
  const values = new Float32Array(nx * ny * nz), largest = new Float32Array(nx * ny * nz);
  const atoms = new Uint32Array(nx * ny * nz);
  for (let i = 0; i < body.count; i++) {
    const radius = body.coarse ? 4.2 : (radii[body.elements[i]] || 1.7) + 0.25, far = reach * Math.max(radius, step);
    const at = [0, 1, 2].map(k => (body.places[3 * i + k] - low[k]) / step), cells = far / step;
    const from = at.map(value => Math.max(0, Math.ceil(value - cells)));
    const to = at.map(value => Math.floor(value + cells));
    for (let z = from[2]; z <= to[2] && z < nz; z++)
      for (let y = from[1]; y <= to[1] && y < ny; y++)
        for (let x = from[0]; x <= to[0] && x < nx; x++) {
          const square = ((x - at[0]) ** 2 + (y - at[1]) ** 2 + (z - at[2]) ** 2) * step * step;
          const value = Math.exp(-sharpness * (square / (radius * radius) - 1)), cell = (z * ny + y) * nx + x;
          values[cell] += value;
          if (value > largest[cell]) { largest[cell] = value; atoms[cell] = i; }
        }
  }
  return { low, step, size: [nx, ny, nz], values, atoms };
}

/* One node in each cell that the level 1 crosses, at the mean of the crossings of its edges: "surface nets" (Gibson,
 * 1998). */
function addNetNodes(field, mesh, owner, nodes, residues) {
  const [nx, ny, nz] = field.size, strides = [1, nx, nx * ny], values = field.values;
  for (let z = 0; z < nz - 1; z++)
    for (let y = 0; y < ny - 1; y++)
      for (let x = 0; x < nx - 1; x++) {
        const cell = (z * ny + y) * nx + x, sum = [0, 0, 0];
        let crossings = 0, best = cell;
        for (let corner = 0; corner < 8; corner++) {
          const a = cell + (corner & 1) + (corner >> 1 & 1) * nx + (corner >> 2) * strides[2];
          if (values[a] > values[best]) best = a;
          for (let axis = 0; axis < 3; axis++) {
            if (corner >> axis & 1) continue;
            const b = a + strides[axis];
            if (values[a] >= 1 === values[b] >= 1) continue;
            const share = (1 - values[a]) / (values[b] - values[a]);
            for (let k = 0; k < 3; k++) sum[k] += (corner >> k & 1) + (k === axis ? share : 0);
            crossings++;
          }
        }
        if (!crossings) continue;
        const corner = [x, y, z];
        nodes[cell] = addNode(mesh, corner.map((c, k) => field.low[k] + field.step * (c + sum[k] / crossings)),
                              [0, 0, 0], colours.surface);
        residues.push(owner[field.atoms[best]]);
      }
}

function addNetTriangles(field, mesh, nodes) {
  const [nx, ny, nz] = field.size, strides = [1, nx, nx * ny], values = field.values;
  for (let z = 1; z < nz - 1; z++)
    for (let y = 1; y < ny - 1; y++)
      for (let x = 1; x < nx - 1; x++) {
        const cell = (z * ny + y) * nx + x, inside = values[cell] >= 1;
        for (let axis = 0; axis < 3; axis++) {
          if (inside === values[cell + strides[axis]] >= 1) continue;
          const u = strides[(axis + 1) % 3], v = strides[(axis + 2) % 3];
          const [a, b, c, d] = [cell - u - v, cell - v, cell, cell - u].map(i => nodes[i]);
          if (inside) mesh.triangles.push(a, b, c, a, c, d); else mesh.triangles.push(a, c, b, a, d, c);
        }
      }
}

function sumNormals(mesh) {
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const corners = [0, 1, 2].map(k => mesh.triangles[t + k]), [a, b, c] = corners.map(i => point(mesh.positions, i));
    const normal = cross(subtract(b, a), subtract(c, a));
    for (const i of corners) for (let k = 0; k < 3; k++) mesh.normals[3 * i + k] += normal[k];
  }
}

function surfaceOf(body) {
  const field = fieldOf(body), mesh = newMesh(), nodes = new Int32Array(field.values.length), residues = [];
  addNetNodes(field, mesh, body.owner, nodes, residues);
  addNetTriangles(field, mesh, nodes);
  sumNormals(mesh);
  mesh.residues = residues;
  return mesh;
}

/* Runs of residues whose trace atoms follow each other. */
function tracesOf(body) {
  const runs = [];
  let run = [];
  for (const residue of body.residues) {
    if (residue.trace < 0) continue;
    const place = point(body.places, residue.trace), last = run[run.length - 1];
    const longest = body.elements[residue.trace] === "P" ? 8.5 : 4.6;
    if (last && Math.hypot(...subtract(place, last)) > longest) { runs.push(run); run = []; }
    run.push(place);
  }
  runs.push(run);
  return runs.filter(places => places.length > 2);
}

/* Half of the ribbon's width at each residue. The distance from a C-alpha to the third after it is about 5 Å in a helix
 * and 10 Å in a strand. */
function widthsOf(run) {
  const wide = run.map(() => false);
  for (let i = 0; i + 3 < run.length; i++) {
    const apart = Math.hypot(...subtract(run[i + 3], run[i]));
    if (apart < 5.8 || apart > 9.2) wide.fill(true, i, i + 4);
  }
  return wide.map(value => value ? 1.15 : 0.32);
}

/* Directions of the ribbon's width: across the bend of the trace, without a sudden turn. */
function sidesOf(run) {
  const sides = run.map((place, i) => {
    const k = Math.min(Math.max(i, 1), run.length - 2);
    return unit(cross(subtract(run[k], run[k - 1]), subtract(run[k + 1], run[k])));
  });
  for (let i = 1; i < sides.length; i++)
    if (dot(sides[i], sides[i - 1]) < 0) sides[i] = sides[i].map(value => -value);
  return sides.map((side, i) => unit([0, 1, 2].map(k =>
    2 * side[k] + sides[Math.max(i - 1, 0)][k] + sides[Math.min(i + 1, sides.length - 1)][k])));
}

/* A point of the curve: the mean of the Catmull-Rom spline and of the cubic B-spline, which keeps helices round and
 * makes strands smooth. */
function curveAt(run, i, t) {
  const at = k => run[Math.min(Math.max(k, 0), run.length - 1)], [a, b, c, d] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
  const u = 1 - t, spline = [u ** 3 / 6, (3 * t ** 3 - 6 * t * t + 4) / 6, (3 * u ** 3 - 6 * u * u + 4) / 6, t ** 3 / 6];
  const through = [-t * u * u / 2, (3 * t ** 3 - 5 * t * t + 2) / 2, (3 * u ** 3 - 5 * u * u + 2) / 2, -u * t * t / 2];
  return [0, 1, 2].map(k => [a, b, c, d].reduce((sum, p, j) => sum + p[k] * (spline[j] + through[j]) / 2, 0));
}

function addRibbon(mesh, run, colour) {
  const steps = 6, around = 10, widths = widthsOf(run), sides = sidesOf(run), rings = steps * (run.length - 1);
  for (let ring = 0; ring <= rings; ring++) {
    const i = Math.min(Math.floor(ring / steps), run.length - 2), t = ring / steps - i, first = mesh.positions.length / 3;
    const place = curveAt(run, i, t), ahead = unit(subtract(curveAt(run, i, t + 0.05), curveAt(run, i, t - 0.05)));
    const across = mix(sides[i], sides[i + 1], t), up = unit(cross(ahead, across)), side = cross(up, ahead);
    const width = widths[i] + (widths[i + 1] - widths[i]) * t * t * (3 - 2 * t), thickness = 0.3;
    for (let k = 0; k < around; k++) {
      const angle = 2 * Math.PI * k / around, cosine = Math.cos(angle), sine = Math.sin(angle);
      addNode(mesh, place.map((p, j) => p + width * cosine * side[j] + thickness * sine * up[j]),
              unit(side.map((s, j) => s * cosine / width + up[j] * sine / thickness)), colour);
      const next = first + (k + 1) % around;
      if (ring < rings)
        mesh.triangles.push(first + k, next, first + k + around, next, next + around, first + k + around);
    }
  }
}

function addBall(mesh, place, radius, colour) {
  const rows = 6, columns = 8, first = mesh.positions.length / 3;
  for (let row = 0; row <= rows; row++)
    for (let column = 0; column < columns; column++) {
      const down = Math.PI * row / rows, angle = 2 * Math.PI * column / columns;
      const normal = [Math.sin(down) * Math.cos(angle), Math.sin(down) * Math.sin(angle), Math.cos(down)];
      const node = first + row * columns + column, next = first + row * columns + (column + 1) % columns;
      addNode(mesh, place.map((p, k) => p + radius * normal[k]), normal, colour);
      if (row < rows) mesh.triangles.push(node, node + columns, next, next, node + columns, next + columns);
    }
}

function addRod(mesh, from, to, radius, colour) {
  const around = 8, ahead = unit(subtract(to, from)), first = mesh.positions.length / 3;
  const side = unit(cross(ahead, Math.abs(ahead[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0])), up = cross(ahead, side);
  for (let k = 0; k < around; k++) {
    const angle = 2 * Math.PI * k / around, a = first + 2 * k, b = first + 2 * ((k + 1) % around);
    const normal = side.map((s, j) => s * Math.cos(angle) + up[j] * Math.sin(angle));
    addNode(mesh, from.map((p, j) => p + radius * normal[j]), normal, colour);
    addNode(mesh, to.map((p, j) => p + radius * normal[j]), normal, colour);
    mesh.triangles.push(a, b, a + 1, b, b + 1, a + 1);
  }
}

/* Sticks of some residues, with bonds between atoms as near as bonded atoms are, also from one residue to the next. */
function sticksOf(body, chosen, carbon) {
  const mesh = newMesh(), radius = 0.19, atoms = [];
  const colourOf = i => elementColours[body.elements[i]] || (body.elements[i] === "C" ? carbon : [0.55, 0.55, 0.6]);
  for (const r of chosen) for (let i = body.residues[r].first; i < body.residues[r].end; i++) atoms.push(i);
  for (let n = 0; n < atoms.length; n++) {
    const i = atoms[n], from = point(body.places, i);
    addBall(mesh, from, radius, colourOf(i));
    for (let m = n + 1; m < atoms.length && body.owner[atoms[m]] <= body.owner[i] + 1; m++) {
      const j = atoms[m], to = point(body.places, j), heavy = "SP".includes(body.elements[i] + "") ||
        "SP".includes(body.elements[j] + "");
      if (Math.hypot(...subtract(to, from)) > (heavy ? 2.2 : 1.75)) continue;
      const middle = mix(from, to, 0.5);
      addRod(mesh, from, middle, radius, colourOf(i));
      addRod(mesh, middle, to, radius, colourOf(j));
    }
  }
  return mesh;
}

/* ---- Contacts ---- */

function cellsOf(body) {
  const cells = new Map();
  for (let i = 0; i < body.count; i++) {
    const key = point(body.places, i).map(value => Math.floor(value / contact)).join();
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(i);
  }
  return cells;
}

/* Residues of both bodies that have an atom near one of the other's. */
function contactsOf(first, cells, second, model) {
  const firsts = new Set(), seconds = new Set(), reach = first.coarse || second.coarse ? 8 : contact;
  for (let i = 0; i < second.count; i++) {
    const place = placed(model, point(second.places, i)), cell = place.map(value => Math.floor(value / contact));
    const span = Math.ceil(reach / contact);
    for (let x = -span; x <= span; x++) for (let y = -span; y <= span; y++) for (let z = -span; z <= span; z++)
      for (const j of cells.get([cell[0] + x, cell[1] + y, cell[2] + z].join()) || [])
        if (Math.hypot(...subtract(point(first.places, j), place)) <= reach) {
          firsts.add(first.owner[j]);
          seconds.add(second.owner[i]);
        }
  }
  const sorted = set => [...set].sort((a, b) => a - b);
  return [sorted(firsts), sorted(seconds)];
}

/* ---- WebGL ---- */

const vertexText = `#version 300 es
in vec3 position, normal, colour;
uniform mat3 pose, view;
uniform vec3 shift, centre, scale;
out vec3 facing, paint;
out float depth, near;
void main() {
  vec3 seen = view * (pose * position + shift - centre);
  gl_Position = vec4(seen * vec3(scale.xy, -scale.z), 1.0);
  facing = view * (pose * normal);
  paint = colour;
  near = seen.z;
  depth = 0.5 - 0.5 * seen.z * scale.z;
}`;
const fragmentText = `#version 300 es
precision highp float;
in vec3 facing, paint;
in float depth, near;
uniform vec3 background;
uniform float alpha, cut;
out vec4 result;
void main() {
  if (near > cut) discard;
  vec3 n = normalize(facing);
  bool inner = n.z < 0.0;
  if (inner) n = -n;
  float light = 0.38 + 0.62 * max(0.0, dot(n, normalize(vec3(-0.35, 0.45, 0.85))));
  float shine = 0.22 * pow(max(0.0, dot(n, normalize(vec3(-0.2, 0.3, 1.0)))), 30.0);
  vec3 lit = inner && cut < 1e8 ? 0.55 * paint : paint * light + shine; /* one shade where the surface is cut open */
  result = vec4(mix(lit, background, clamp(1.3 * depth - 0.45, 0.0, 0.75)), alpha);
}`;

function newProgram(gl) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertexText], [gl.FRAGMENT_SHADER, fragmentText]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("the shaders do not link");
  gl.useProgram(program);
  return program;
}

/* Send a mesh to the device. */
function load(gl, program, mesh) {
  const array = gl.createVertexArray(), buffers = [];
  gl.bindVertexArray(array);
  for (const [name, values] of [["position", mesh.positions], ["normal", mesh.normals], ["colour", mesh.colours]]) {
    const buffer = gl.createBuffer(), place = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    buffers.push(buffer);
  }
  const indices = gl.createBuffer();
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(mesh.triangles), gl.STATIC_DRAW);
  return { array, buffers, indices, count: mesh.triangles.length };
}

function unload(gl, loaded) {
  gl.deleteVertexArray(loaded.array);
  for (const buffer of [...loaded.buffers, loaded.indices]) gl.deleteBuffer(buffer);
}

/* ---- The view ---- */

const identity = [1, 0, 0, 0, 1, 0, 0, 0, 1];

class Scene {
  constructor(figure) {
    this.figure = figure;
    this.bodies = [...figure.querySelectorAll(".body")].map(readBody);
    this.models = [...figure.querySelectorAll(".models li")].map(readModel);
    this.canvas = document.createElement("canvas");
    this.gl = this.canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("no WebGL 2");
    this.program = newProgram(this.gl);
    this.focus = figure.dataset.focus === "1";
    this.shown = { surface: true, ribbon: true, sticks: true };
    this.cells = cellsOf(this.bodies[0]);
    this.surfaceMesh = surfaceOf(this.bodies[0]);
    this.printing = false;
    this.addElements();
    this.addGestures();
    this.choose(0);
  }

  addElements() {
    const stage = document.createElement("div"), tools = document.createElement("div");
    stage.className = "stage";
    tools.className = "tools";
    this.bar = document.createElement("span");
    this.bar.className = "bar";
    this.note = document.createElement("p");
    this.note.className = "note";
    this.note.setAttribute("aria-live", "polite");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", this.figure.dataset.label);
    this.paper = document.createElement("canvas");
    this.paper.className = "paper";
    stage.append(this.canvas, this.paper, this.bar);
    for (const model of this.models) {
      const button = document.createElement("button");
      button.textContent = model.name;
      button.title = model.text;
      button.addEventListener("click", () => this.choose(this.models.indexOf(model)));
      model.button = button;
      tools.append(button);
    }
    const parts = document.createElement("div");
    parts.className = "tools";
    for (const [label, act] of [["−", () => this.zoomBy(0.8)], ["+", () => this.zoomBy(1.25)],
                                ["Reset", () => this.face()]]) {
      const button = document.createElement("button");
      button.textContent = label;
      button.title = { "−": "Smaller", "+": "Larger" }[label] || "First view";
      button.addEventListener("click", () => { act(); this.draw(); });
      parts.append(button);
    }
    for (const part of Object.keys(this.shown)) {
      if (part === "ribbon" && this.bodies.slice(1).every(body => !tracesOf(body).length)) continue;
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => { this.shown[part] = box.checked; this.draw(); });
      label.append(box, part);
      parts.append(label);
    }
    const fallback = this.figure.querySelector(".fallback"), list = this.figure.querySelector(".models");
    fallback.replaceWith(tools, stage, parts, this.note);
    list.hidden = true;
    this.linkRows();
    new ResizeObserver(() => this.draw()).observe(stage);
    matchMedia("(prefers-color-scheme:dark)").addEventListener("change", () => this.draw());
    addEventListener("beforeprint", () => this.print());
    addEventListener("afterprint", () => { this.printing = false; this.draw(); });
  }

  /* Browsers print no WebGL, so a plain canvas gets a copy. */
  print() {
    this.printing = true;
    this.draw();
    this.paper.width = this.canvas.width;
    this.paper.height = this.canvas.height;
    this.paper.getContext("2d", { willReadFrequently: true }).drawImage(this.canvas, 0, 0);
  }

  /* A click into a row of a table that links to a model's file chooses the model. */
  linkRows() {
    for (const model of this.models) {
      if (!model.link) continue;
      for (const link of document.querySelectorAll("td a")) {
        if (link.getAttribute("href") !== model.link.getAttribute("href")) continue;
        const row = link.closest("tr");
        model.row = row;
        row.classList.add("choice");
        row.addEventListener("click", event => {
          if (event.target.closest("a")) return;
          this.choose(this.models.indexOf(model));
          this.figure.scrollIntoView({ block: "nearest" });
        });
      }
    }
  }

  addGestures() {
    const canvas = this.canvas, fingers = new Map();
    canvas.addEventListener("pointerdown", event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    for (const kind of ["pointerup", "pointercancel"])
      canvas.addEventListener(kind, event => fingers.delete(event.pointerId));
    canvas.addEventListener("pointermove", event => {
      const last = fingers.get(event.pointerId), now = [event.clientX, event.clientY];
      if (!last) return;
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      fingers.set(event.pointerId, now);
      if (others.length) {
        const apart = place => Math.hypot(place[0] - others[0][0], place[1] - others[0][1]) || 1;
        this.zoomBy(apart(now) / apart(last));
      } else
        this.rotate(0.01 * (now[0] - last[0]), 0.01 * (now[1] - last[1]));
      this.draw();
    });
    /* The wheel scrolls the page until the view was clicked. */
    canvas.addEventListener("wheel", event => {
      if (document.activeElement !== canvas) return;
      event.preventDefault();
      this.zoomBy(Math.exp(-0.0015 * event.deltaY));
      this.draw();
    }, { passive: false });
    canvas.addEventListener("keydown", event => {
      const turns = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
      const zooms = { "+": 1.15, "-": 1 / 1.15 };
      if (turns[event.key]) this.rotate(...turns[event.key]);
      else if (zooms[event.key]) this.zoomBy(zooms[event.key]);
      else return;
      event.preventDefault();
      this.draw();
    });
  }

  rotate(across, down) {
    const [c, s, d, t] = [Math.cos(across), Math.sin(across), Math.cos(down), Math.sin(down)];
    this.view = product([1, 0, 0, 0, d, -t, 0, t, d], product([c, 0, s, 0, 1, 0, -s, 0, c], this.view));
  }

  zoomBy(factor) {
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.4), 20);
  }

  /* Show the partners side by side, the first on the left. */
  face() {
    const model = this.models[this.model], second = this.bodies[model.body];
    const first = centreOf(this.bodies[0]), other = placed(model, centreOf(second));
    if (this.focus)
      this.view = this.intoPocket(other);
    else {
      const right = unit(subtract(other, first)), help = Math.abs(right[1]) < 0.8 ? [0, 1, 0] : [0, 0, 1];
      const near = unit(cross(right, help)), up = cross(near, right);
      this.view = [...right, ...up, ...near];
    }
    const low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9];
    const add = place => turn(this.view, place).forEach((value, k) => {
      low[k] = Math.min(low[k], value);
      high[k] = Math.max(high[k], value);
    });
    if (!this.focus) for (let i = 0; i < this.bodies[0].count; i++) add(point(this.bodies[0].places, i));
    for (let i = 0; i < second.count; i++) add(placed(model, point(second.places, i)));
    const middle = [0, 1, 2].map(k => (low[k] + high[k]) / 2);
    this.centre = [0, 1, 2].map(k => this.view[k] * middle[0] + this.view[3 + k] * middle[1] + this.view[6 + k] * middle[2]);
    this.width = high[0] - low[0] + (this.focus ? 12 : 6);
    this.height = high[1] - low[1] + (this.focus ? 12 : 6);
    this.depth = Math.hypot(...subtract(high, low)) + (this.focus ? 40 : 6);
    this.zoom = 1;
  }

  /* Look from where the fewest atoms of the pocket are: along the line from their mean to the placed body. */
  intoPocket(centre) {
    const first = this.bodies[0], mean = [0, 0, 0];
    let count = 0;
    for (const r of this.contacts[0])
      for (let i = first.residues[r].first; i < first.residues[r].end; i++, count++)
        for (let k = 0; k < 3; k++) mean[k] += first.places[3 * i + k];
    const near = unit(count ? subtract(centre, mean.map(value => value / count)) : [0, 0, 1]);
    const right = unit(cross(Math.abs(near[1]) < 0.8 ? [0, 1, 0] : [0, 0, 1], near));
    return [...right, ...cross(near, right), ...near];
  }

  /* The place before which the surface is cut away, towards the viewer from the centre of the view. */
  cutOf(model) {
    const second = this.bodies[model.body];
    let cut = -1e9;
    if (!this.focus) return 1e9;
    for (let i = 0; i < second.count; i++)
      cut = Math.max(cut, turn(this.view, subtract(placed(model, point(second.places, i)), this.centre))[2]);
    return cut - 1;
  }

  choose(index) {
    const gl = this.gl, model = this.models[index], second = this.bodies[model.body];
    this.model = index;
    this.contacts = contactsOf(this.bodies[0], this.cells, second, model);
    for (const other of this.models) {
      other.button.setAttribute("aria-pressed", other === model);
      if (other.row) other.row.classList.toggle("chosen", other === model);
    }
    for (const loaded of Object.values(this.loaded || {})) unload(gl, loaded);
    const touched = new Set(this.contacts[0]), mesh = this.surfaceMesh, ribbon = newMesh(), runs = tracesOf(second);
    mesh.colours = mesh.residues.flatMap(r => touched.has(r) ? colours.patch : colours.surface);
    for (const run of runs) addRibbon(ribbon, run, colours.ribbon);
    const all = second.residues.map((residue, r) => r);
    const bySecond = second.coarse ? [] : runs.length ? this.contacts[1] : all;
    this.loaded = {
      surface: load(gl, this.program, mesh),
      ribbon: load(gl, this.program, ribbon),
      firsts: load(gl, this.program, sticksOf(this.bodies[0], this.bodies[0].coarse ? [] : this.contacts[0], colours.first)),
      seconds: load(gl, this.program, sticksOf(second, bySecond, colours.second))
    };
    this.say();
    this.face();
    this.draw();
  }

  say() {
    const model = this.models[this.model], second = this.bodies[model.body], [a, b] = this.contacts.map(set => set.length);
    const words = count => count + (count === 1 ? " residue" : " residues");
    const apart = this.bodies[0].coarse || second.coarse ? "8 Å by their traces" : "5 Å", first = this.bodies[0].name;
    this.note.textContent = second.residues.length > 1
      ? `${model.text}: ${words(a)} of the ${first} and ${b} of the ${second.name} within ${apart} of the partner. `
      : `${model.text}: ${words(a)} of the ${first} within ${apart}. `;
    if (model.link) this.note.append(model.link.cloneNode(true));
    this.figure.dataset.residues = `${a} ${b}`;
  }

  /* The colour behind the view, as three numbers from 0 to 1. */
  background() {
    if (this.printing) return [1, 1, 1];
    const numbers = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g) || [255, 255, 255];
    return numbers.slice(0, 3).map(value => value / 255);
  }

  draw() {
    const gl = this.gl, canvas = this.canvas, sharp = Math.min(devicePixelRatio || 1, 2);
    if (!canvas.clientWidth) return;
    const width = Math.max(1, Math.round(canvas.clientWidth * sharp));
    const height = Math.max(1, Math.round(canvas.clientHeight * sharp));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const pixels = this.zoom * Math.min(width / this.width, height / this.height), background = this.background();
    const place = name => gl.getUniformLocation(this.program, name), model = this.models[this.model];
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background, 1);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniform3f(place("scale"), 2 * pixels / width, 2 * pixels / height, 2 / this.depth);
    gl.uniform3fv(place("centre"), this.centre);
    gl.uniform3fv(place("background"), background);
    gl.uniformMatrix3fv(place("view"), true, this.view);
    gl.uniform1f(place("cut"), 1e9);
    this.triangles = 0;
    if (this.shown.sticks) this.drawPart("firsts", identity, [0, 0, 0], 1);
    if (this.shown.sticks) this.drawPart("seconds", model.rotation, model.shift, 1);
    if (this.shown.ribbon) this.drawPart("ribbon", model.rotation, model.shift, 1);
    if (this.shown.surface) this.drawSurface();
    this.figure.dataset.triangles = this.triangles;
    this.bar.style.width = `${10 * pixels / sharp}px`;
    this.bar.textContent = "10 Å";
  }

  /* The nearest layer of the surface alone is mixed with what lies behind it. */
  drawSurface() {
    const gl = this.gl;
    gl.colorMask(false, false, false, false);
    gl.uniform1f(gl.getUniformLocation(this.program, "cut"), this.cutOf(this.models[this.model]));
    this.drawPart("surface", identity, [0, 0, 0], 1);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    this.drawPart("surface", identity, [0, 0, 0], !this.shown.sticks ? 1 : this.focus ? 0.5 : 0.72);
    gl.disable(gl.BLEND);
  }

  drawPart(name, rotation, shift, alpha) {
    const gl = this.gl, part = this.loaded[name];
    gl.uniformMatrix3fv(gl.getUniformLocation(this.program, "pose"), true, rotation);
    gl.uniform3fv(gl.getUniformLocation(this.program, "shift"), shift);
    gl.uniform1f(gl.getUniformLocation(this.program, "alpha"), alpha);
    gl.bindVertexArray(part.array);
    gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_INT, 0);
    this.triangles += part.count / 3;
  }
}

for (const figure of document.querySelectorAll("figure.scene")) {
  try {
    new Scene(figure);
  } catch (error) {
    figure.dataset.failure = error.message;
  }
}
})();

/* The view of molecules in a report: a surface, a ribbon, and sticks of the residues between them. It reads its data
 * from the attributes that report/scene.c writes. Lengths are in Å. */
(() => {
"use strict";

const { View, makeAll, bytesOf, identity, subtract, dot, cross, mix, unit, point, turn, newMesh, addNode, netOf } =
  quernView;

const contact = 5; /* Å between heavy atoms of partners, as in the table of contacts */
const radii = { H: 1.1, C: 1.7, N: 1.55, O: 1.52, S: 1.8, P: 1.8 };
const elementColours = { N: [0.2, 0.35, 0.9], O: [0.88, 0.2, 0.16], S: [0.85, 0.7, 0.15], P: [0.95, 0.5, 0.1] };
const colours = { surface: [0.72, 0.74, 0.77], patch: [0.48, 0.72, 0.66], first: [0.0, 0.55, 0.42],
                  ribbon: [0.9, 0.42, 0.12], second: [0.93, 0.6, 0.2] };

/* ---- Data ---- */

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

const placed = (model, a) => turn(model.rotation, a).map((value, k) => value + model.shift[k]);

function centreOf(body) {
  const sum = [0, 0, 0];
  for (let i = 0; i < body.places.length; i++) sum[i % 3] += body.places[i] / body.count;
  return sum;
}

/* ---- Meshes ---- */

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

function surfaceOf(body) {
  const field = fieldOf(body), mesh = netOf(field, 1, colours.surface);
  mesh.residues = mesh.cells.map(cell => body.owner[field.atoms[cell]]);
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

/* ---- The view ---- */

class Scene extends View {
  constructor(figure) {
    super(figure);
    this.bodies = [...figure.querySelectorAll(".body")].map(readBody);
    this.models = [...figure.querySelectorAll(".models li")].map(readModel);
    this.focus = figure.dataset.focus === "1";
    this.shown = { surface: true, ribbon: true, sticks: true };
    this.cells = cellsOf(this.bodies[0]);
    this.surfaceMesh = surfaceOf(this.bodies[0]);
    this.addElements();
    this.choose(0);
  }

  addElements() {
    const models = this.newTools(this.models.map(model =>
      [model.name, model.text, () => this.choose(this.models.indexOf(model))]));
    this.models.forEach((model, i) => { model.button = models.children[i]; });
    const parts = this.newTools([["−", "Smaller", () => this.zoomBy(0.8)], ["+", "Larger", () => this.zoomBy(1.25)],
                                 ["Reset", "First view", () => this.face()]]);
    for (const part of Object.keys(this.shown)) {
      if (part === "ribbon" && this.bodies.slice(1).every(body => !tracesOf(body).length)) continue;
      const label = document.createElement("label"), box = document.createElement("input");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => { this.shown[part] = box.checked; this.draw(); });
      label.append(box, part);
      parts.append(label);
    }
    this.addStage([models], [parts]);
    this.figure.querySelector(".models").hidden = true;
    this.linkRows();
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
    const model = this.models[index], second = this.bodies[model.body];
    this.model = index;
    this.contacts = contactsOf(this.bodies[0], this.cells, second, model);
    for (const other of this.models) {
      other.button.setAttribute("aria-pressed", other === model);
      if (other.row) other.row.classList.toggle("chosen", other === model);
    }
    const touched = new Set(this.contacts[0]), mesh = this.surfaceMesh, ribbon = newMesh(), runs = tracesOf(second);
    mesh.colours = mesh.residues.flatMap(r => touched.has(r) ? colours.patch : colours.surface);
    for (const run of runs) addRibbon(ribbon, run, colours.ribbon);
    const all = second.residues.map((residue, r) => r);
    const bySecond = second.coarse ? [] : runs.length ? this.contacts[1] : all;
    const byFirst = this.bodies[0].coarse ? [] : this.contacts[0];
    this.load("surface", mesh);
    this.load("ribbon", ribbon);
    this.load("firsts", sticksOf(this.bodies[0], byFirst, colours.first));
    this.load("seconds", sticksOf(second, bySecond, colours.second));
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

  draw() {
    const model = this.models[this.model];
    if (!this.begin()) return;
    if (this.shown.sticks) this.drawPart("firsts", identity, [0, 0, 0], 1);
    if (this.shown.sticks) this.drawPart("seconds", model.rotation, model.shift, 1);
    if (this.shown.ribbon) this.drawPart("ribbon", model.rotation, model.shift, 1);
    if (this.shown.surface) this.drawSurface();
    this.figure.dataset.triangles = this.triangles;
  }

  /* The nearest layer of the surface alone is mixed with what lies behind it. */
  drawSurface() {
    const gl = this.gl;
    gl.colorMask(false, false, false, false);
    this.set("cut", "1f", this.cutOf(this.models[this.model]));
    this.drawPart("surface", identity, [0, 0, 0], 1);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    this.drawPart("surface", identity, [0, 0, 0], !this.shown.sticks ? 1 : this.focus ? 0.5 : 0.72);
    gl.disable(gl.BLEND);
  }
}

makeAll("figure.scene:not(.density)", Scene);
})();

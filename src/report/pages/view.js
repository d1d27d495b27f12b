/* Parts that views in a report share: vectors, meshes, and a canvas that is turned, enlarged and printed. Views need
 * WebGL 2 and load nothing. Lengths are in Å. */
const quernView = (() => {
"use strict";

const bytesOf = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/* ---- Vectors ---- */

const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mix = (a, b, t) => [0, 1, 2].map(k => a[k] + t * (b[k] - a[k]));
const unit = a => { const length = Math.hypot(...a) || 1; return a.map(value => value / length); };
const point = (places, i) => [places[3 * i], places[3 * i + 1], places[3 * i + 2]];
const turn = (m, a) => [0, 3, 6].map(k => m[k] * a[0] + m[k + 1] * a[1] + m[k + 2] * a[2]);
const product = (a, b) => [...Array(9).keys()].map(i =>
  a[i - i % 3] * b[i % 3] + a[i - i % 3 + 1] * b[3 + i % 3] + a[i - i % 3 + 2] * b[6 + i % 3]);

/* ---- Meshes: positions, normals and colours of nodes, and triangles ---- */

const newMesh = () => ({ positions: [], normals: [], colours: [], triangles: [] });

function addNode(mesh, position, normal, colour) {
  mesh.positions.push(position[0], position[1], position[2]);
  mesh.normals.push(normal[0], normal[1], normal[2]);
  mesh.colours.push(colour[0], colour[1], colour[2]);
  return mesh.positions.length / 3 - 1;
}

/* One node in each cell that the level crosses, at the mean of the crossings of its edges: "surface nets" (Gibson,
 * 1998). cells[node]: the cell's corner of the largest value. */
function addNetNodes(field, mesh, level, colour, nodes) {
  const [nx, ny, nz] = field.size, strides = [1, nx, nx * ny], values = field.values, cells = [];
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(c => (c & 1) + (c >> 1 & 1) * nx + (c >> 2) * strides[2]);
  for (let z = 0; z < nz - 1; z++)
    for (let y = 0; y < ny - 1; y++)
      for (let x = 0; x < nx - 1; x++) {
        const cell = (z * ny + y) * nx + x;
        let inside = 0, crossings = 0, best = cell;
        for (let corner = 0; corner < 8; corner++) inside += values[cell + corners[corner]] >= level;
        if (inside % 8 === 0) continue; /* most cells; the rest of the work is for the others */
        const sum = [0, 0, 0];
        for (let corner = 0; corner < 8; corner++) {
          const a = cell + corners[corner];
          if (values[a] > values[best]) best = a;
          for (let axis = 0; axis < 3; axis++) {
            if (corner >> axis & 1) continue;
            const b = a + strides[axis];
            if (values[a] >= level === values[b] >= level) continue;
            const share = (level - values[a]) / (values[b] - values[a]);
            for (let k = 0; k < 3; k++) sum[k] += (corner >> k & 1) + (k === axis ? share : 0);
            crossings++;
          }
        }
        const corner = [x, y, z];
        nodes[cell] = addNode(mesh, corner.map((c, k) => field.low[k] + field.step * (c + sum[k] / crossings)),
                              [0, 0, 0], colour);
        cells.push(best);
      }
  return cells;
}

function addNetTriangles(field, mesh, level, nodes) {
  const [nx, ny, nz] = field.size, strides = [1, nx, nx * ny], values = field.values;
  for (let z = 1; z < nz - 1; z++)
    for (let y = 1; y < ny - 1; y++)
      for (let x = 1; x < nx - 1; x++) {
        const cell = (z * ny + y) * nx + x, inside = values[cell] >= level;
        for (let axis = 0; axis < 3; axis++) {
          if (inside === values[cell + strides[axis]] >= level) continue;
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

/* The surface of a field { low, step, size, values } where its values cross a level. */
function netOf(field, level, colour) {
  const mesh = newMesh(), nodes = new Int32Array(field.values.length);
  mesh.cells = addNetNodes(field, mesh, level, colour, nodes);
  addNetTriangles(field, mesh, level, nodes);
  sumNormals(mesh);
  return mesh;
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

/* Round lengths of the bar, Å; the most pixels that it takes, and the most of the canvas. */
const roundLengths = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], longestBar = 130, barShare = 0.26;

/* A figure with a canvas. Classes that extend it set view, centre, width, height, depth and zoom, and draw. */
class View {
  constructor(figure) {
    this.figure = figure;
    this.canvas = document.createElement("canvas");
    this.gl = this.canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!this.gl) throw new Error("no WebGL 2");
    this.program = newProgram(this.gl);
    this.loaded = {};
    this.printing = false;
    this.zoom = 1;
  }

  /* Replace the sentence for browsers without WebGL 2 by the canvas between rows of tools, and a sentence below. */
  addStage(above, below) {
    const stage = document.createElement("div");
    stage.className = "stage";
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
    this.figure.querySelector(".fallback").replaceWith(...above, stage, ...below, this.note);
    this.addGestures();
    new ResizeObserver(() => this.draw()).observe(stage);
    matchMedia("(prefers-color-scheme:dark)").addEventListener("change", () => this.draw());
    addEventListener("beforeprint", () => this.print());
    addEventListener("afterprint", () => { this.printing = false; this.draw(); });
  }

  /* A row of buttons, each [label, title, act]. */
  newTools(buttons) {
    const row = document.createElement("div");
    row.className = "tools";
    for (const [label, title, act] of buttons) {
      const button = document.createElement("button");
      button.textContent = label;
      button.title = title;
      button.addEventListener("click", () => { act(); this.draw(); });
      row.append(button);
    }
    return row;
  }

  /* Browsers print no WebGL, so a plain canvas gets a copy. */
  print() {
    this.printing = true;
    this.draw();
    this.paper.width = this.canvas.width;
    this.paper.height = this.canvas.height;
    this.paper.getContext("2d", { willReadFrequently: true }).drawImage(this.canvas, 0, 0);
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

  /* The colour behind the view, as three numbers from 0 to 1. */
  background() {
    if (this.printing) return [1, 1, 1];
    const numbers = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g) || [255, 255, 255];
    return numbers.slice(0, 3).map(value => value / 255);
  }

  /* Replace a mesh on the device. */
  load(name, mesh) {
    if (this.loaded[name]) unload(this.gl, this.loaded[name]);
    this.loaded[name] = load(this.gl, this.program, mesh);
  }

  set(name, kind, ...values) {
    this.gl["uniform" + kind](this.gl.getUniformLocation(this.program, name), ...values);
  }

  /* Clear the canvas and set what all parts share. False: the canvas is not shown. */
  begin() {
    const gl = this.gl, canvas = this.canvas, sharp = Math.min(devicePixelRatio || 1, 2);
    if (!canvas.clientWidth) return false;
    const width = Math.max(1, Math.round(canvas.clientWidth * sharp));
    const height = Math.max(1, Math.round(canvas.clientHeight * sharp));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const pixels = this.zoom * Math.min(width / this.width, height / this.height), background = this.background();
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background, 1);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.set("scale", "3f", 2 * pixels / width, 2 * pixels / height, 2 / this.depth);
    this.set("centre", "3fv", this.centre);
    this.set("background", "3fv", background);
    this.set("view", "Matrix3fv", true, this.view);
    this.set("cut", "1f", 1e9);
    this.triangles = 0;
    const length = roundLengths.filter(value => value * pixels <= Math.min(sharp * longestBar, barShare * width)).pop() || roundLengths[0];
    this.bar.style.width = `${length * pixels / sharp}px`;
    this.bar.textContent = `${length} Å`;
    return true;
  }

  drawPart(name, rotation, shift, alpha) {
    const gl = this.gl, part = this.loaded[name];
    this.set("pose", "Matrix3fv", true, rotation);
    this.set("shift", "3fv", shift);
    this.set("alpha", "1f", alpha);
    gl.bindVertexArray(part.array);
    gl.drawElements(gl.TRIANGLES, part.count, gl.UNSIGNED_INT, 0);
    this.triangles += part.count / 3;
  }
}

/* Make a view of each figure that fits a selector. A figure whose view fails keeps its sentence. */
function makeAll(selector, Kind) {
  for (const figure of document.querySelectorAll(selector)) {
    try {
      new Kind(figure);
    } catch (error) {
      figure.dataset.failure = error.message;
    }
  }
}

return { View, makeAll, bytesOf, identity, subtract, dot, cross, mix, unit, point, turn, product, newMesh, addNode,
         netOf };
})();

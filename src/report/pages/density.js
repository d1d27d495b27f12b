/* The view of a density map in a report: its surface at a level that the reader moves. It reads its data from the
 * attributes that report/density.c writes. Lengths are in Å. */
(() => {
"use strict";

const { View, makeAll, bytesOf, identity, turn, netOf } = quernView;

const colour = [0.42, 0.62, 0.8];
const proteinVolume = 1.21; /* Å³ per Da: a partial specific volume of 0.73 cm³/g */
const sliderSteps = 400;

/* Directions right, up and towards the reader, as in the slices across an axis. */
const sides = { x: [0, 1, 0, 0, 0, 1, 1, 0, 0], y: [1, 0, 0, 0, 0, 1, 0, -1, 0], z: identity };

function readField(data) {
  const [floor, ceiling] = data.range.split(" ").map(Number), bytes = bytesOf(data.values);
  const values = Float32Array.from(bytes, byte => floor + (ceiling - floor) * byte / 255);
  return { low: data.origin.split(" ").map(Number), step: Number(data.step), size: data.size.split(" ").map(Number),
           values, floor, ceiling };
}

const written = value => Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 });

class Density extends View {
  constructor(figure) {
    super(figure);
    const data = figure.querySelector(".grid").dataset;
    this.field = readField(data);
    this.first = Number(data.level);
    this.statistics = data.statistics ? data.statistics.split(" ").map(Number) : null;
    this.waiting = false;
    this.addElements();
    this.setLevel(this.first);
    this.face("z");
    this.draw();
  }

  addElements() {
    const tools = this.newTools([
      ...Object.keys(sides).map(axis => [axis, `Look along ${axis}`, () => this.face(axis)]),
      ["−", "Smaller", () => this.zoomBy(0.8)], ["+", "Larger", () => this.zoomBy(1.25)],
      ["Reset", "First view and level", () => { this.setLevel(this.first); this.face("z"); }]]);
    const label = document.createElement("label"), slider = document.createElement("input");
    slider.type = "range";
    slider.min = 1;
    slider.max = sliderSteps - 1;
    slider.addEventListener("input", () => this.follow());
    label.append("Level", slider);
    tools.append(label);
    this.slider = slider;
    this.addStage([], [tools]);
  }

  /* Make the surface at most once per drawing of the page. */
  follow() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      const { floor, ceiling } = this.field;
      this.waiting = false;
      this.setLevel(floor + (ceiling - floor) * this.slider.value / sliderSteps);
      this.draw();
    });
  }

  setLevel(level) {
    const { floor, ceiling } = this.field;
    this.level = level;
    this.mesh = netOf(this.field, level, colour);
    this.load("surface", this.mesh);
    this.slider.value = Math.round(sliderSteps * (level - floor) / (ceiling - floor));
    this.say();
  }

  say() {
    const { values, step } = this.field;
    let count = 0;
    for (const value of values) count += value >= this.level;
    const volume = count * step ** 3;
    const deviations = this.statistics ? `, ${written((this.level - this.statistics[0]) / this.statistics[1])} σ` : "";
    this.note.textContent = `Level ${written(this.level)}${deviations}: encloses ${written(volume)} Å³, the volume of ` +
      `${written(volume / proteinVolume / 1000)} kDa of protein.`;
    this.figure.dataset.voxels = count;
  }

  /* Look along an axis at the whole surface. */
  face(axis) {
    this.view = sides[axis];
    const low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9], at = this.mesh.positions;
    for (let i = 0; i < at.length; i += 3)
      turn(this.view, [at[i], at[i + 1], at[i + 2]]).forEach((value, k) => {
        low[k] = Math.min(low[k], value);
        high[k] = Math.max(high[k], value);
      });
    if (!at.length) /* the level is above all values */
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(...this.corners().map(corner => turn(this.view, corner)[k]));
        high[k] = Math.max(...this.corners().map(corner => turn(this.view, corner)[k]));
      }
    const middle = low.map((value, k) => (value + high[k]) / 2), extent = low.map((value, k) => high[k] - value);
    this.centre = [0, 1, 2].map(k => this.view[k] * middle[0] + this.view[3 + k] * middle[1] + this.view[6 + k] * middle[2]);
    this.width = extent[0] * 1.1;
    this.height = extent[1] * 1.1;
    this.depth = Math.hypot(...extent);
    this.zoom = 1;
  }

  /* The first and the last voxel of the view. */
  corners() {
    const { low, step, size } = this.field;
    return [low, low.map((value, k) => value + step * (size[k] - 1))];
  }

  draw() {
    if (!this.begin()) return;
    this.drawPart("surface", identity, [0, 0, 0], 1);
    this.figure.dataset.triangles = this.triangles;
  }
}

makeAll("figure.density", Density);
})();

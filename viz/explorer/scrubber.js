// The scrubber: a range over the steps, with marks of what happened where. Marks are drawn, not elements, so
// that any number of them costs the same.

import {el} from './dom.js';

const tracks = {elected: 0, stopped: 1, cut: 2, healed: 2, broken: 2, violated: 3};

export class Scrubber {
  constructor(onInput) {
    this.range = el('input', {
      type: 'range',
      min: 0,
      max: 0,
      step: 1,
      value: 0,
      oninput: () => onInput(Number(this.range.value)),
    });
    this.canvas = el('canvas', {'aria-hidden': 'true'});
    this.element = el('div', {class: 'scrubber'}, this.canvas, this.range);
  }

  show(model, words) {
    this.model = model;
    this.range.max = Math.max(model.rows - 1, 0);
    this.range.setAttribute('aria-label', words('scrubber'));
    this.draw();
  }

  set(row, text) {
    this.range.value = row;
    this.range.setAttribute('aria-valuetext', text);
  }

  draw() {
    const {model, canvas} = this;
    if (model === undefined) return;
    const scale = window.devicePixelRatio || 1,
      width = canvas.clientWidth || 600,
      height = 22;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const ink = canvas.getContext('2d');
    ink.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const inset = 8; // half of the range's thumb
    const at = (row) => inset + ((width - 2 * inset) * row) / Math.max(model.rows - 1, 1);
    let cut = -1,
      cuts = 0;
    ink.fillStyle = colour('--cut');
    const block = (from, to) => ink.fillRect(from, 16, Math.max(to - from, 2), 4);
    const drawn = new Set();
    for (const mark of model.marks) {
      const x = at(mark.row);
      if (mark.kind === 'cut') {
        if (cuts++ === 0) cut = x;
      } else if (mark.kind === 'healed' && cuts > 0) {
        cuts = model.worldAt(mark.row, 1).cuts.size > 0 ? 1 : 0;
        if (cuts === 0) {
          ink.fillStyle = colour('--cut');
          block(cut, x);
        }
      }
      const key = tracks[mark.kind] * 100000 + Math.round(x);
      if (drawn.has(key)) continue;
      drawn.add(key);
      if (mark.kind === 'elected') {
        ink.fillStyle = colour('--mark-election');
        ink.beginPath();
        ink.moveTo(x, 1);
        ink.lineTo(x + 5, 9);
        ink.lineTo(x - 5, 9);
        ink.fill();
      } else if (mark.kind === 'stopped') {
        ink.strokeStyle = colour('--ink');
        ink.lineWidth = 2;
        ink.beginPath();
        ink.moveTo(x - 3.5, 8);
        ink.lineTo(x + 3.5, 15);
        ink.moveTo(x + 3.5, 8);
        ink.lineTo(x - 3.5, 15);
        ink.stroke();
      } else if (mark.kind === 'broken') {
        ink.fillStyle = colour('--cut');
        block(x - 1, x + 1);
      } else if (mark.kind === 'violated') {
        ink.fillStyle = colour('--bad');
        ink.fillRect(x - 1.5, 0, 3, 15);
        ink.fillRect(x - 1.5, 17, 3, 4);
      }
    }
    if (cuts > 0) {
      ink.fillStyle = colour('--cut');
      block(cut, width - inset);
    }
  }
}

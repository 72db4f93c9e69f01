// The ladder: rows downwards, a lane for each node. Only the rows in view are elements.

import {clean, el, fitted, setChildren, svg} from './dom.js';
import {pictureOf} from './model.js';
import {line} from './sentences.js';
import {asWords} from './words.js';

const rowHeight = 28;
const margin = 6; // rows drawn beyond the view
const lanesLeft = 108;
const signs = {proposed: '□', durable: '■', committed: '✓', gone: '✗'};

/** The text of a cell with the sign of its mark. */
export function cellText(cell) {
  const text = clean(cell.text, 40);
  return cell.mark === 'empty' ? `(${text})` : text + (signs[cell.mark] ? ' ' + signs[cell.mark] : '');
}

export class Ladder {
  /** `page` answers: say(), onSelect(row), onUnfold(from, to), onLane(lane). */
  constructor(model, id, page) {
    this.model = model;
    this.id = id;
    this.page = page;
    this.selected = 0;
    this.lane = -1;
    this.past = null;
    this.head = el('div', {class: 'lanes'});
    this.drawing = svg('svg', {'aria-hidden': 'true', class: 'drawing'});
    this.rows = el('div', {class: 'rows', role: 'presentation'});
    this.space = el('div', {class: 'space', role: 'presentation'}, this.drawing, this.rows);
    this.scroller = el(
      'div',
      {
        class: 'scroller',
        role: 'listbox',
        tabindex: '0',
        id,
        onscroll: () => this.onScroll(),
        onclick: (event) => this.onClick(event),
      },
      this.space,
    );
    this.element = el('div', {class: 'ladder'}, this.head, this.scroller);
    this.items = [];
    this.rowElements = new Map(); // those in the page, by all that they depend on
    this.drawnFrom = this.drawnTo = -1;
    this.onAligned = null;
    this.isReady = false; // to be drawn: its place and its row are known
  }

  /** Which rows are shown: a row, or [from, to) of rows that are not. */
  setItems(items, shownLanes) {
    this.items = items;
    this.shown = shownLanes;
    this.place = new Int32Array(this.model.rows);
    items.forEach((item, at) => {
      if (typeof item === 'number') this.place[item] = at;
      else this.place.fill(at, item[0], item[1]);
    });
    this.space.style.height = `${items.length * rowHeight + 12}px`;
    this.arrange();
  }

  isShown(row) {
    return this.items[this.place[row]] === row;
  }

  /** The next row that is shown, in a direction; the row itself if there is none. */
  neighbour(row, by) {
    const from = this.place[row];
    for (let at = from + by; at >= 0 && at < this.items.length; at += by) {
      if (typeof this.items[at] === 'number') return this.items[at];
    }
    return this.isShown(row) ? row : this.neighbour(row, -by);
  }

  /** What most of the rows' sentences take. */
  wordsWidth() {
    if (this.lengths === undefined || this.lengths.language !== this.page.say().language) {
      const lengths = [];
      for (let row = 0; row < this.model.rows; row += 1 + Math.floor(this.model.rows / 200))
        lengths.push(line(this.model, row, this.page.say()).length);
      lengths.sort((a, b) => a - b);
      this.lengths = {language: this.page.say().language, most: lengths[Math.floor(lengths.length * 0.9)] ?? 0};
    }
    return this.lengths.most * (this.page.say().language === 'zh' ? 13 : 7) + 30;
  }

  /** Gives every lane its place. */
  arrange() {
    const width = this.element.clientWidth || 800;
    this.height = this.scroller.clientHeight || 600;
    this.viewWidth = this.scroller.clientWidth || 800;
    const lanes = Math.max(this.shown.length, 1) + 0.5; // half of one for the roles beside the last
    const narrow = width < 620;
    const words = narrow ? 150 : Math.min(Math.max(width * 0.37, 250), Math.max(this.wordsWidth(), 250));
    this.gap = Math.min(Math.max((width - lanesLeft - words) / lanes, narrow ? 44 : 64), 116);
    this.lanesRight = lanesLeft + this.gap * lanes;
    this.width = Math.max(width - 14, this.lanesRight + 140);
    this.x = this.model.nodes.map(() => -1);
    this.shown.forEach((lane, at) => (this.x[lane] = lanesLeft + this.gap * (at + 0.5)));
    this.space.style.width = `${this.width}px`;
    this.drawHead();
    this.draw();
  }

  drawHead() {
    const say = this.page.say();
    const strip = el('div', {class: 'strip', css: {width: `${this.width}px`}});
    strip.append(el('span', {class: 'head-event'}, '#'), el('span', {class: 'head-time'}, 'ms'));
    for (const lane of this.shown) {
      const node = this.model.nodes[lane];
      strip.append(
        el(
          'button',
          {
            class: 'lane-name' + (lane === this.lane ? ' chosen' : ''),
            type: 'button',
            title: say('lane', {name: clean(node.name)}),
            'aria-pressed': lane === this.lane ? 'true' : 'false',
            css: {left: `${this.x[lane] - this.gap / 2 + 3}px`, width: `${this.gap - 6}px`},
            onclick: () => this.page.onLane(lane),
          },
          el('bdi', {}, clean(node.name, 60)),
          node.kind === 'voter' || node.kind === 'client'
            ? null
            : el('small', {}, say('kind_' + node.kind) || asWords(node.kind)),
        ),
      );
    }
    this.head.replaceChildren(strip);
    this.head.scrollLeft = this.scroller.scrollLeft;
  }

  onScroll() {
    if (this.head.scrollLeft !== this.scroller.scrollLeft) this.head.scrollLeft = this.scroller.scrollLeft;
    if (this.onAligned !== null) this.onAligned(this.scroller.scrollTop);
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const [from, to] = this.placesInView();
      if (from !== this.drawnFrom || to !== this.drawnTo) this.draw(); // a step that scrolls has drawn already
    });
  }

  onClick(event) {
    const row = event.target.closest('[data-at]');
    if (row === null) return;
    const item = this.items[Number(row.dataset.at)];
    if (typeof item === 'number') this.page.onSelect(this, item);
    else this.page.onUnfold(this, item);
  }

  /** Brings a row into view. */
  reveal(row) {
    const top = this.place[row] * rowHeight,
      height = this.height;
    const edge = Math.min(rowHeight * 3, height / 3);
    if (top < this.scroller.scrollTop + edge || top > this.scroller.scrollTop + height - edge - rowHeight) {
      const far = Math.abs(top - this.scroller.scrollTop - height / 2) > height;
      const target = far
        ? top - height * 0.4
        : top < this.scroller.scrollTop + edge
          ? top - edge
          : top - height + edge + rowHeight;
      this.scroller.scrollTop = Math.max(target, 0);
    }
    if (this.x[this.model.lane[row]] > 0 && this.width > this.viewWidth) {
      const x = this.x[this.model.lane[row]];
      if (x < this.scroller.scrollLeft + 40 || x > this.scroller.scrollLeft + this.viewWidth - 40)
        this.scroller.scrollLeft = x - this.viewWidth / 2;
    }
  }

  yOf(place) {
    return place * rowHeight + rowHeight / 2;
  }

  /** [from, to) of the places of what is to be drawn. */
  placesInView() {
    const from = Math.max(Math.floor(this.scroller.scrollTop / rowHeight) - margin, 0);
    const to = Math.min(Math.ceil((this.scroller.scrollTop + this.height) / rowHeight) + margin, this.items.length);
    return [from, to];
  }

  draw() {
    const {items} = this;
    if (!this.isReady) return;
    if (items.length === 0) {
      this.rows.replaceChildren();
      this.drawing.replaceChildren();
      return;
    }
    const [from, to] = this.placesInView();
    this.drawnFrom = from;
    this.drawnTo = to;
    this.drawRows(from, to);
    const top = from * rowHeight;
    const drawn = (to - from) * rowHeight;
    this.drawing.setAttribute('width', this.width);
    this.drawing.setAttribute('height', drawn);
    this.drawing.setAttribute('viewBox', `0 ${top} ${this.width} ${drawn}`);
    this.drawing.style.transform = `translateY(${top}px)`;
    const firstRow = typeof items[from] === 'number' ? items[from] : items[from][0];
    // Of what is covered nothing is drawn.
    const isCovered = typeof items[to - 1] !== 'number' && this.page.covers(this.model, items[to - 1][0]);
    const bandsTo = isCovered ? Math.max(to - 1, from + 1) : to;
    const lastItem = items[bandsTo - 1];
    const lastRow = typeof lastItem === 'number' ? lastItem : lastItem[1] - 1;
    const parts = {bands: svg('g', {}), arrows: svg('g', {}), dots: svg('g', {}), labels: svg('g', {})};
    this.drawBands(parts, firstRow, lastRow, from, bandsTo);
    this.drawMessages(parts, firstRow, from, to);
    this.drawDots(parts, from, to);
    this.drawing.replaceChildren(parts.bands, parts.arrows, parts.dots, parts.labels);
  }

  dims(row) {
    return this.past !== null && row >= 0 && !this.past[row];
  }

  drawRows(from, to) {
    const elements = new Map();
    let previous = from > 0 ? this.timeAt(from - 1) : null;
    for (let at = from; at < to; ++at) {
      const item = this.items[at];
      const text =
        typeof item === 'number'
          ? line(this.model, item, this.page.say())
          : '⋯ ' +
            this.page.say()(this.page.covers(this.model, item[0]) ? 'covered' : 'folded', {n: item[1] - item[0]});
      const again = this.timeAt(at) === previous;
      const shown = [at, this.items.length, this.lanesRight, this.width, item, item === this.selected, this.dims(item)];
      const key = [...shown, again, text].join(' ');
      elements.set(key, this.rowElements.get(key) ?? this.rowElement(at, item, text, again));
      if (typeof item === 'number') previous = this.timeAt(at);
    }
    setChildren(this.rows, [...elements.values()]);
    this.rowElements = elements;
    const place = this.place[this.selected];
    if (place >= from && place < to && this.isShown(this.selected))
      this.scroller.setAttribute('aria-activedescendant', `${this.id}-${place}`);
    else this.scroller.removeAttribute('aria-activedescendant');
  }

  rowElement(at, item, text, again) {
    const {model} = this;
    const folds = typeof item !== 'number';
    const broken = folds ? undefined : model.brokenAt.get(item);
    const selected = item === this.selected;
    const properties = {
      class:
        'row' +
        (folds ? ' folded' : '') +
        (selected ? ' selected' : '') +
        (broken ? ' broken' : '') +
        (this.dims(item) ? ' dim' : '') +
        (!folds && model.lane[item] < 0 ? ' network' : ''),
      role: 'option',
      id: `${this.id}-${at}`,
      'data-at': at,
      'aria-selected': selected ? 'true' : 'false',
      'aria-posinset': at + 1,
      'aria-setsize': this.items.length,
      css: {top: `${at * rowHeight}px`},
    };
    const place = {left: `${this.lanesRight + 10}px`};
    if (folds) return el('div', properties, el('span', {class: 'text', css: place}, text));
    let box = null;
    for (let i = model.end(item) - 1; i >= model.first[item] && box === null; --i)
      box = pictureOf(model.events[i], model.statePicture);
    return el(
      'div',
      properties,
      el('span', {class: 'event'}, model.first[item]),
      el('span', {class: 'time' + (again ? ' again' : '')}, model.time(item)),
      el(
        'span',
        {class: 'text', css: place, title: text},
        broken
          ? el('strong', {class: 'bad'}, '! ' + broken.map((check) => clean(check.name, 60)).join(', ') + ' ')
          : null,
        el('bdi', {class: this.tells(item) ? '' : 'quiet'}, text),
        box === null || this.width - this.lanesRight < 420 ? null : this.cells(box),
      ),
    );
  }

  tells(row) {
    for (let i = this.model.first[row]; i < this.model.end(row); ++i) {
      if (typeof this.model.events[i].text === 'string' && this.model.events[i].text !== '') return true;
    }
    return false;
  }

  cells(box) {
    return el(
      'span',
      {class: 'cells' + (box.quorum ? ' quorum' : ''), 'aria-hidden': 'true'},
      box.cells.slice(-6).map((cell) => el('span', {class: `cell mark-${marked(cell.mark)}`}, cellText(cell))),
    );
  }

  timeAt(at) {
    const item = this.items[at];
    return typeof item === 'number' ? this.model.time(item) : null;
  }

  drawBands(parts, firstRow, lastRow, from, to) {
    const {model} = this;
    const top = from * rowHeight,
      bottom = to * rowHeight;
    for (const lane of this.shown) {
      const x = this.x[lane],
        bands = model.bands[lane];
      let low = 0,
        high = bands.length;
      while (low < high) {
        // the first that ends after the first row
        const middle = (low + high) >> 1;
        if (bands[middle].to <= firstRow) low = middle + 1;
        else high = middle;
      }
      if (low === 0 || bands.length === 0) {
        const until =
          bands.length === 0 ? bottom : Math.min(this.yOf(this.place[Math.min(bands[0].from, model.rows - 1)]), bottom);
        if (until > top && (bands.length === 0 || bands[0].from > 0))
          parts.bands.append(svg('line', {class: 'lifeline absent', x1: x, x2: x, y1: top, y2: until}));
      }
      for (; low < bands.length && bands[low].from <= lastRow; ++low) {
        const band = bands[low];
        const y1 =
          band.from <= firstRow
            ? band.from === 0 && from === 0
              ? this.yOf(this.place[0])
              : Math.max(top, this.yOf(this.place[band.from]))
            : this.yOf(this.place[band.from]);
        const y2 =
          band.to >= model.rows
            ? Math.min(bottom, this.items.length * rowHeight)
            : Math.min(bottom, this.yOf(this.place[band.to]));
        if (y2 <= y1) continue;
        if (band.tone === 'down') {
          parts.bands.append(svg('line', {class: 'lifeline down', x1: x, x2: x, y1, y2}));
          continue;
        }
        const width = band.tone === 'client' || band.tone === 'unknown' ? 4 : band.tone === 'syncing' ? 8 : 14;
        parts.bands.append(
          svg('rect', {
            class: `band tone-${band.tone}${band.paused ? ' paused' : ''}`,
            x: x - width / 2,
            y: y1,
            width,
            height: y2 - y1,
          }),
        );
        if (band.tone === 'seeking' || band.paused)
          parts.bands.append(svg('line', {class: band.paused ? 'pausing' : 'seeks', x1: x, x2: x, y1, y2}));
      }
    }
    this.drawCuts(parts, from, to);
  }

  /** A bar beside the times while any link is cut. */
  drawCuts(parts, from, to) {
    const {model} = this;
    const firstItem = this.items[from];
    let open =
      model.worldAt((typeof firstItem === 'number' ? firstItem : firstItem[0]) - 1, 1).cuts.size > 0
        ? from * rowHeight
        : -1;
    const close = (y) => {
      parts.bands.append(
        svg('rect', {class: 'cut-bar', x: lanesLeft - 7, y: open, width: 4, height: Math.max(y - open, 2)}),
      );
      open = -1;
    };
    for (let at = from; at < to; ++at) {
      const item = this.items[at];
      const row = typeof item === 'number' ? item : item[1] - 1;
      const changes = model.lane[row] < 0 || typeof item !== 'number';
      if (!changes) continue;
      const cut = model.worldAt(row, 1).cuts.size > 0;
      const y = this.yOf(at);
      if (cut && open < 0) open = y;
      if (!cut && open >= 0) close(y);
    }
    if (open >= 0) close(to * rowHeight);
  }

  drawMessages(parts, firstRow, from, to) {
    const {model} = this;
    const seen = new Set();
    for (const place of model.worldAt(firstRow - 1, 1).flight) {
      seen.add(place);
      if (seen.size > 400) break;
    }
    for (let at = from; at < to; ++at) {
      const row = this.items[at];
      if (typeof row !== 'number') continue;
      for (let i = model.first[row]; i < model.end(row); ++i) {
        if (model.messageOf[i] >= 0) seen.add(model.messageOf[i]);
      }
    }
    for (const place of seen) this.drawMessage(parts, model.messages[place], from, to);
  }

  drawMessage(parts, message, from, to) {
    const {model} = this;
    const start = model.startRow(message),
      end = this.page.covers(model, model.endRow(message)) ? -1 : model.endRow(message);
    const isLost = message.lost && end >= 0;
    const startShown = start >= 0 && this.isShown(start),
      endShown = end >= 0 && this.isShown(end);
    if (!startShown && !endShown) return;
    if (this.page.foldsHeartbeats() && model.isHeartbeat(message) && !(startShown && endShown)) return;
    const laneFrom = model.laneOf.get(message.from),
      laneTo = model.laneOf.get(message.to);
    const x1 = laneFrom === undefined ? -1 : this.x[laneFrom],
      x2 = laneTo === undefined ? -1 : this.x[laneTo];
    if (x1 < 0 || x2 < 0) return;
    const classes =
      `arrow group-${model.groupOfType(message.type) % 8}` +
      (this.dims(start) || this.dims(end) ? ' dim' : '') +
      (start === this.selected || end === this.selected ? ' near' : '');
    const y1 = start < 0 ? from * rowHeight - 10 : this.yOf(this.place[start]);
    const beyond = this.items.length * rowHeight + 6;
    let y2 = end < 0 ? beyond : this.yOf(this.place[end]);
    const say = this.page.say();
    const label = clean(say.text(message.said, message.label), 80);
    const title = svg(
      'title',
      {},
      `${label}: ${clean(model.name(message.from), 40)} → ${clean(model.name(message.to), 40)}` +
        (isLost ? `, ${say('lost')}: ${say.word(asWords(message.reason))}` : end < 0 ? `, ${say('under_way')}` : ''),
    );
    if (laneFrom === laneTo) {
      // what a node sends to itself is drawn where it is looked at
      if (y2 === y1 || (start !== this.selected && end !== this.selected)) return;
      parts.arrows.append(
        svg(
          'path',
          {
            class: classes,
            d: `M${x1 + 6},${y1} C${x1 + 34},${y1} ${x1 + 34},${y2} ${x1 + 8},${y2}`,
            'marker-end': 'url(#head)',
          },
          title,
        ),
      );
      return;
    }
    const side = Math.sign(x2 - x1);
    if (isLost) {
      // A cross on the way; at once lost, it stays near its sender.
      const near = start === end;
      const cx = near ? x1 + side * Math.min(this.gap * 0.55, 46) : x1 + (x2 - x1) * 0.62;
      const cy = near ? y1 + 7 : y2;
      parts.arrows.append(
        svg(
          'g',
          {class: classes + ' lost'},
          title,
          svg('line', {x1: x1 + side * 5, y1, x2: cx, y2: cy}),
          svg('path', {class: 'cross', d: `M${cx - 4},${cy - 4}l8,8m0,-8l-8,8`}),
        ),
      );
      if (!near && cy >= from * rowHeight) this.label(parts, message, cx, cy, -side, classes);
      return;
    }
    if (end < 0) {
      // under way at the end of the run
      if (!startShown) return;
      parts.arrows.append(
        svg('path', {class: classes + ' open', d: `M${x1 + side * 5},${y1}l${side * this.gap * 0.42},20`}, title),
        svg('circle', {class: classes + ' open-end', cx: x1 + side * (this.gap * 0.42 + 8), cy: y1 + 21.5, r: 2.5}),
      );
      return;
    }
    const short = 7 / Math.hypot(x2 - x1, y2 - y1);
    if (y2 - y1 > 60 * rowHeight) {
      // long arrows are steep: the part in view is exact, and lines stay short
      const clipTop = Math.max(y1, from * rowHeight - 200),
        clipBottom = Math.min(y2, to * rowHeight + 200);
      const at = (y) => x1 + ((x2 - x1) * (y - y1)) / (y2 - y1);
      const attributes = {
        class: classes,
        x1: at(clipTop),
        y1: clipTop,
        x2: clipBottom === y2 ? x2 - (x2 - x1) * short : at(clipBottom),
        y2: clipBottom === y2 ? y2 - 7 : clipBottom,
      };
      if (clipBottom === y2) attributes['marker-end'] = 'url(#head)';
      parts.arrows.append(svg('line', attributes, title));
    } else {
      parts.arrows.append(
        svg(
          'line',
          {
            class: classes,
            x1: x1 + side * 5,
            y1,
            x2: x2 - (x2 - x1) * short,
            y2: y2 - (y2 - y1) * short,
            'marker-end': 'url(#head)',
          },
          title,
        ),
      );
    }
    if (endShown && this.place[end] >= from && this.place[end] < to) this.label(parts, message, x2, y2, -side, classes);
  }

  label(parts, message, x, y, side, classes) {
    if (message.label === '' || (this.gap < 60 && !classes.includes('near'))) return;
    // Nothing else is in its row: it may pass the lanes beside its own.
    const room = side < 0 ? x - 16 - lanesLeft : this.lanesRight - x - 16;
    const most = Math.max(Math.min(2 * this.gap - 20, room), this.gap - 20, 60);
    const text = fitted(clean(this.page.say().text(message.said, message.label), 60), most);
    parts.labels.append(
      svg(
        'text',
        {
          class: classes.replace('arrow', 'label'),
          x: x + side * 16,
          y: y - 6,
          'text-anchor': side < 0 ? 'end' : 'start',
        },
        text,
      ),
    );
  }

  drawDots(parts, from, to) {
    const {model} = this;
    for (let at = from; at < to; ++at) {
      const row = this.items[at];
      const y = this.yOf(at);
      if (typeof row !== 'number') {
        parts.bands.append(svg('line', {class: 'fold-line', x1: lanesLeft, x2: this.lanesRight, y1: y, y2: y}));
        continue;
      }
      const dim = this.dims(row) ? ' dim' : '';
      const lane = model.lane[row];
      if (lane < 0) {
        const kind = model.events[model.first[row]].kind;
        if (kind === 'cut' || kind === 'healed' || kind === 'held' || kind === 'released' || kind === 'note')
          parts.bands.append(
            svg('line', {class: `divider ${kind}${dim}`, x1: lanesLeft - 5, x2: this.lanesRight, y1: y, y2: y}),
          );
        continue;
      }
      const x = this.x[lane];
      if (x < 0) continue;
      let shape = svg('circle', {
        cx: x,
        cy: y,
        r: row === this.selected ? 5.5 : 4,
        class: 'dot' + (row === this.selected ? ' chosen' : '') + dim,
      });
      for (let i = model.first[row]; i < model.end(row); ++i) {
        const kind = model.events[i].kind;
        if (kind === 'stopped') shape = svg('path', {class: 'crash' + dim, d: `M${x - 7},${y - 7}l14,14m0,-14l-14,14`});
        else if (kind === 'started') shape = svg('path', {class: 'start' + dim, d: `M${x - 5},${y - 6}l11,6l-11,6z`});
      }
      parts.dots.append(shape);
      for (const turn of model.turns.get(row) ?? []) this.drawTurn(parts, row, turn, x, y, dim);
    }
  }

  drawTurn(parts, row, turn, x, y, dim) {
    const {model} = this;
    // On the side on which no label of a message is.
    let left = false;
    for (let i = model.first[row]; i < model.end(row); ++i) {
      const message = model.messages[model.messageOf[i]];
      if (message !== undefined && message.end === i && this.x[model.laneOf.get(message.from)] > x) left = true;
    }
    // There is no room to the left of the first lane: there it is below the label.
    const low = left && x < lanesLeft + this.gap;
    if (low) left = false;
    const middle = low ? y + 7 : y;
    const say = this.page.say();
    const words = asWords(turn.role) || say.word(asWords(turn.phase)) || say('tone_' + turn.tone);
    const most = Math.max(Math.min(2 * this.gap, left ? x - lanesLeft : this.lanesRight - x) - 20, this.gap - 20);
    const text = fitted(words, most);
    const width = Math.min(
      [...text].reduce((sum, letter) => sum + (letter.charCodeAt(0) > 0x2e80 ? 11 : 6.7), 0) + 10,
      most + 12,
    );
    const start = left ? x - 12 - width : x + 12;
    parts.labels.append(
      svg(
        'g',
        {class: `pill tone-${turn.tone}${dim}`},
        svg('title', {}, words),
        svg('rect', {x: start, y: middle - 8.5, width, height: 17, rx: 8.5}),
        svg('text', {x: start + width / 2, y: middle + 3.8, 'text-anchor': 'middle'}, text),
      ),
    );
  }

  select(row) {
    this.selected = row;
  }
}

/** A mark's name, if it is one of those that exist. */
export function marked(mark) {
  return mark in signs || mark === 'counted' || mark === 'empty' ? mark : 'plain';
}

// What a trace says, prepared for stepping: rows, messages, lifelines, and the state of everything at any row.
// A row is what one node did in one go; its number is the index of its first event. Nothing here knows a
// protocol: roles and tones come from the header, boxes from `picture`, sentences from `text`.
//
// A damaged trace is read as far as it makes sense: what has the wrong type counts as absent.

import {define} from './runs.js';

const frameRows = 200; // rows between two stored worlds
const keptEvery = 128; // changes between two stored states of a node

const beginning = new Set([
  'started',
  'stopped',
  'paused',
  'resumed',
  'wiped',
  'set',
  'delivered',
  'timer',
  'connected',
  'refused',
  'closed',
  'synced',
]);
const tones = new Set(['seeking', 'leading', 'following', 'observing', 'syncing', 'down']);

export const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const objectOr = (value) => (isObject(value) ? value : {});
const listOr = (value) => (Array.isArray(value) ? value : []);
const wordOr = (value, other) =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : other;
const own = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

/** Whether an event is of the pattern's kind, and its data have the pattern's other members. */
const fits = (pattern, event, data) =>
  pattern.kind === event.kind && Object.keys(pattern).every((key) => key === 'kind' || data[key] === pattern[key]);

/** A list that only grew: the versions of one run share its elements. */
class Grown {
  constructor(items, length) {
    this.items = items;
    this.length = length;
  }
  plus(elements) {
    // Replaying a stretch again finds the elements already there.
    for (let i = 0; i < elements.length; ++i) this.items[this.length + i] = elements[i];
    return new Grown(this.items, this.length + elements.length);
  }
}

export const isGrown = (value) => value instanceof Grown;

/** What a list has more than an earlier version of it; null if these are not two versions of one list. */
export function grownBy(old, now) {
  if (!isGrown(old) || !isGrown(now) || old.items !== now.items || now.length < old.length) return null;
  return now.items.slice(old.length, now.length);
}

/** A value of a state as plain JSON. */
export function plain(value) {
  if (value instanceof Grown) return value.items.slice(0, value.length).map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const result = {};
  for (const key of Object.keys(value)) define(result, key, plain(value[key]));
  return result;
}

function put(object, values) {
  for (const key of Object.keys(values)) {
    if (values[key] === null) delete object[key];
    else define(object, key, values[key]);
  }
}

/** A copy of an object, or the object itself if it is one of `ours`, of which nobody else knows. */
function editable(object, ours) {
  if (ours === null) return {...object};
  if (ours.has(object)) return object;
  const copy = {...object};
  ours.add(copy);
  return copy;
}

/** Replaces what an object has at a path, names with points between them, by what `made` makes of it. */
function replace(object, path, ours, made) {
  const dot = path.indexOf('.');
  const key = dot < 0 ? path : path.slice(0, dot);
  const old = own(object, key) ? object[key] : undefined;
  if (dot < 0) return define(object, key, made(old));
  const inner = editable(objectOr(old), ours);
  replace(inner, path.slice(dot + 1), ours, made);
  return define(object, key, inner);
}

function grown(old, elements) {
  const list =
    old instanceof Grown ? old : new Grown(Array.isArray(old) ? old.slice() : [], Array.isArray(old) ? old.length : 0);
  return list.plus(elements);
}

/**
 * A state after an event's `changes`, `entries` and `appended`. The old one and what it contains are not changed, except
 * for what is in the set `ours`, to which all that is made is added.
 */
function changed(state, event, ours) {
  const result = editable(state, ours);
  put(result, objectOr(event.changes));
  for (const [path, entries] of Object.entries(objectOr(event.entries)))
    replace(result, path, ours, (old) => {
      const members = editable(objectOr(old), ours);
      put(members, objectOr(entries));
      return members;
    });
  for (const [path, elements] of Object.entries(objectOr(event.appended)))
    replace(result, path, ours, (old) => grown(old, listOr(elements)));
  return result;
}

const hasChanges = (event) =>
  event.changes !== undefined || event.entries !== undefined || event.appended !== undefined;

/** A box that an event's `picture` draws, or null; `caption` is that of pictures that show a node's state. */
export function pictureOf(event, caption) {
  const picture = objectOr(event.data).picture;
  if (!isObject(picture) || !Array.isArray(picture.cells)) return null;
  const cells = picture.cells
    .filter(isObject)
    .map((cell) => ({text: wordOr(cell.text, ''), mark: wordOr(cell.mark, 'plain')}));
  return {
    cells,
    quorum: picture.quorum === true,
    caption: wordOr(picture.caption, ''),
    said: picture.caption_said,
    ofState: picture.caption === caption,
  };
}

/** The states that a node comes into: after none, one, two ... of the events that change it. */
class States {
  constructor() {
    this.events = [];
    this.kept = [{}]; // those after 0, keptEvery, 2 * keptEvery ... events, as far as they were needed
    this.count = 0; // of the state that was asked for last
    this.state = this.kept[0];
  }
  after(count) {
    if (count === this.count) return this.state;
    const stretch = Math.floor(count / keptEvery);
    while (this.kept.length <= stretch) {
      const from = (this.kept.length - 1) * keptEvery,
        ours = new Set();
      let state = this.kept[this.kept.length - 1];
      for (let i = from; i < from + keptEvery; ++i) state = changed(state, this.events[i], ours);
      this.kept.push(state);
    }
    const near = count > this.count && this.count >= stretch * keptEvery;
    let state = near ? this.state : this.kept[stretch];
    for (let i = near ? this.count : stretch * keptEvery; i < count; ++i) state = changed(state, this.events[i], null);
    this.count = count;
    return (this.state = state);
  }
}

const emptyView = Object.freeze({
  up: null,
  paused: false,
  role: '',
  phase: '',
  changes: 0, // how many of its node's events that change its state there were
  upInState: undefined,
  box: -1,
  log: -1,
  said: -1,
  writes: Object.freeze([]),
  lost: Object.freeze([]),
  down: '',
});

class World {
  constructor(lanes) {
    this.row = -1;
    this.views = Array.from({length: lanes}, () => ({...emptyView}));
    this.flight = new Set();
    this.cuts = new Set();
    this.holds = [];
  }
  copy() {
    const result = new World(0);
    result.row = this.row;
    result.views = this.views.map((view) => ({...view}));
    result.flight = new Set(this.flight);
    result.cuts = new Set(this.cuts);
    result.holds = this.holds.slice();
    return result;
  }
}

export class Model {
  /** `outages`: its times without a leader, as viz/outages.h writes them. */
  constructor(trace, outages = []) {
    this.trace = objectOr(trace);
    this.outagesTold = outages;
    this.header = objectOr(this.trace.header);
    this.events = listOr(this.trace.events).filter(isObject);
    this.scenario =
      isObject(this.trace.scenario) && Object.keys(this.trace.scenario).length > 0 ? this.trace.scenario : null;
    this.verdicts = listOr(this.trace.verdicts).filter(isObject);
    this.title = wordOr(this.header.title, '');
    this.statePicture = wordOr(this.header.state_picture, 'log');
    const said = listOr(this.header.answer_said);
    this.answer = listOr(this.header.answer).map((text, i) => ({text: wordOr(text, ''), said: said[i]}));
    this.readNodes();
    this.readWhys();
    this.roles = objectOr(this.header.roles);
    this.phases = objectOr(this.header.phases);
    this.turnsOf = listOr(this.header.turns).filter((turn) => isObject(turn) && isObject(turn.event));
    // Older traces do not say which events are elections.
    this.elections = Array.isArray(this.header.elections)
      ? this.header.elections.filter(isObject)
      : Object.keys(this.roles)
          .filter((role) => this.roles[role] === 'leading')
          .map((to) => ({kind: 'role', to}));
    this.heartbeats = new Set(listOr(this.header.heartbeats));
    this.groupOf = new Map();
    listOr(this.header.message_groups).forEach((group, i) =>
      listOr(group).forEach((type) => this.groupOf.set(type, i)),
    );
    this.groups = listOr(this.header.message_groups).length;
    this.facts = listOr(this.header.facts).filter((fact) => isObject(fact) && typeof fact.field === 'string');
    this.trees = listOr(this.header.trees).filter((tree) => isObject(tree) && typeof tree.field === 'string');
    this.readEvents();
    this.cursors = [new World(this.nodes.length), new World(this.nodes.length)];
  }

  readNodes() {
    this.nodes = [];
    this.laneOf = new Map();
    for (const entry of listOr(this.header.nodes)) {
      if (!isObject(entry) || typeof entry.id !== 'number' || this.laneOf.has(entry.id)) continue;
      this.addNode(entry.id, wordOr(entry.name, '') || String(entry.id), wordOr(entry.kind, 'voter'));
    }
    for (const event of this.events) {
      // those that the header does not name
      if (typeof event.node === 'number' && !this.laneOf.has(event.node))
        this.addNode(event.node, String(event.node), 'voter');
    }
    this.voters = this.nodes.filter((node) => node.kind === 'voter' || node.kind === 'scripted').length;
  }
  addNode(id, name, kind) {
    this.laneOf.set(id, this.nodes.length);
    this.nodes.push({id, name, kind, lane: this.nodes.length});
  }

  /** The name of a node; an id that no node has is its own name. */
  name(id) {
    const lane = this.laneOf.get(id);
    return lane === undefined ? (id < -9e15 ? '–' : String(id)) : this.nodes[lane].name;
  }

  toneOfRole(role) {
    const tone = own(this.roles, role) ? this.roles[role] : undefined;
    return tones.has(tone) ? tone : 'other';
  }
  toneOf(role, phase) {
    const tone = own(this.phases, phase) ? this.phases[phase] : undefined;
    return tones.has(tone) ? tone : this.toneOfRole(role);
  }
  /** The tone of a node at a moment. */
  tone(node, view) {
    if (view.up === false) return 'down';
    if (node.kind === 'client') return 'client';
    if (view.up === null) return node.kind === 'scripted' ? 'unknown' : 'absent';
    return view.role === '' ? 'unknown' : this.toneOf(view.role, view.phase);
  }

  groupOfType(type) {
    let group = this.groupOf.get(type);
    if (group === undefined) this.groupOf.set(type, (group = this.groups++));
    return group;
  }

  readEvents() {
    const count = this.events.length;
    this.rowOf = new Int32Array(count);
    const first = [],
      lane = [];
    this.messages = [];
    this.messageOf = new Int32Array(count).fill(-1); // of message events
    this.effects = null;
    this.marks = []; // {row, kind}
    this.pending = []; // timers: [event that led to it, event at which it fires]
    this.bands = this.nodes.map(() => []);
    this.turns = new Map(); // by row: lanes whose role or phase changes
    this.frames = [];
    this.states = this.nodes.map(() => new States());
    const byNumber = new Map();
    const world = new World(this.nodes.length);
    let current = -1,
      currentNode,
      currentTime;
    for (let i = 0; i < count; ++i) {
      const event = this.events[i],
        data = isObject(event.data) ? event.data : (event.data = {});
      if (event.index !== i) event.index = i;
      const node = typeof event.node === 'number' ? event.node : undefined;
      const isLossHere =
        event.kind === 'lost' && event.cause !== undefined && current >= 0 && this.rowOf[event.cause] === current;
      const joins =
        current >= 0 &&
        event.time === currentTime &&
        currentNode !== undefined &&
        (isLossHere || (node === currentNode && !beginning.has(event.kind)));
      if (!joins) {
        current = first.length;
        if (current % frameRows === 0) {
          world.row = current - 1;
          this.frames.push(world.copy());
        }
        first.push(i);
        lane.push(node === undefined ? -1 : this.laneOf.get(node));
        currentNode = node;
        currentTime = event.time;
      }
      this.rowOf[i] = current;
      this.readMessage(i, event, data, byNumber);
      this.apply(world, i, event);
      if (hasChanges(event) && node !== undefined) this.states[this.laneOf.get(node)].events.push(event);
      this.readMark(i, event, data, current, world);
    }
    this.rows = first.length;
    this.first = Int32Array.from(first);
    this.lane = Int32Array.from(lane);
    for (const [index, bands] of this.bands.entries()) {
      if (bands.length > 0) bands[bands.length - 1].to = this.rows;
      else if (this.nodes[index].kind === 'client' || this.nodes[index].kind === 'scripted')
        bands.push({
          from: 0,
          to: this.rows,
          tone: this.nodes[index].kind === 'client' ? 'client' : 'unknown',
          role: '',
        });
    }
    this.readVerdicts();
    this.marks.sort((a, b) => a.row - b.row);
  }

  /** One after the last event of a row. */
  end(row) {
    return row + 1 < this.rows ? this.first[row + 1] : this.events.length;
  }
  /** What the scenario says about itself in a language: `name` and `about`, as far as it does. */
  textsIn(language) {
    const all = this.scenario?.translations;
    const own = isObject(all) ? all[language] : undefined;
    return isObject(own) ? own : {};
  }

  time(row) {
    const time = this.events[this.first[row]].time;
    return typeof time === 'number' ? time : 0;
  }
  /** The row of an event, by its index. */
  rowOfEvent(index) {
    return this.rowOf[Math.min(Math.max(Math.trunc(index) || 0, 0), this.events.length - 1)];
  }

  readMessage(i, event, data, byNumber) {
    if (event.kind !== 'sent' && event.kind !== 'transmitted' && event.kind !== 'delivered' && event.kind !== 'lost')
      return;
    let message = byNumber.get(data.message);
    if (message === undefined || (event.kind === 'sent' && message.sent >= 0)) {
      message = {
        place: this.messages.length,
        number: data.message,
        from: undefined,
        to: undefined,
        type: '',
        label: '',
        said: undefined, // of the label
        link: '',
        sent: -1,
        left: -1,
        end: -1,
        lost: false,
        reason: '',
      };
      this.messages.push(message);
      byNumber.set(data.message, message);
    }
    this.messageOf[i] = message.place;
    if (event.kind === 'sent' || event.kind === 'transmitted') message.from = message.from ?? event.node;
    if (typeof data.from === 'number') message.from = data.from;
    if (typeof data.receiver === 'number') message.to = data.receiver;
    message.type = wordOr(data.type, message.type);
    if (typeof data.label === 'string' && data.label !== '') {
      message.label = data.label;
      message.said = data.label_said;
    } else if (message.label === '') {
      message.label = message.type;
    }
    message.link = wordOr(data.link, message.link);
    if (event.kind === 'sent') {
      message.sent = i;
      message.waits = data.waiting === true;
      if (!message.waits) message.left = i;
    } else if (event.kind === 'transmitted') {
      message.left = i;
    } else {
      message.end = i;
      if (event.kind === 'delivered') message.to = event.node ?? message.to;
      else {
        message.lost = true;
        message.reason = wordOr(data.reason, '');
      }
    }
    this.groupOfType(message.type);
  }

  /** Where a message begins and ends, as rows; -1 if it has no such event. */
  startRow(message) {
    return message.sent < 0 ? -1 : this.rowOf[message.left >= 0 ? message.left : message.sent];
  }
  endRow(message) {
    return message.end < 0 ? -1 : this.rowOf[message.end];
  }
  isHeartbeat(message) {
    return this.heartbeats.has(message.type);
  }

  apply(world, i, event) {
    const data = objectOr(event.data);
    const place = this.messageOf[i];
    if (place >= 0) {
      if (event.kind === 'sent') world.flight.add(place);
      else if (event.kind !== 'transmitted') world.flight.delete(place);
    }
    if (event.kind === 'cut' || event.kind === 'healed') {
      for (const link of listOr(data.links)) {
        if (!Array.isArray(link)) continue;
        const key = link[0] + '>' + link[1];
        if (event.kind === 'cut') world.cuts.add(key);
        else world.cuts.delete(key);
      }
    } else if (event.kind === 'held') {
      world.holds = world.holds.concat([data.selector]);
    } else if (event.kind === 'released') {
      const text = JSON.stringify(data.selector);
      const at = world.holds.findIndex((one) => JSON.stringify(one) === text);
      if (at >= 0) world.holds = world.holds.filter((_, index) => index !== at);
    }
    if (typeof event.node !== 'number') return;
    const lane = this.laneOf.get(event.node);
    const view = world.views[lane];
    switch (event.kind) {
      case 'started':
        Object.assign(view, {...emptyView, up: true, changes: view.changes, upInState: view.upInState});
        break;
      case 'stopped':
        Object.assign(view, {up: false, paused: false, role: '', phase: '', box: -1, down: wordOr(data.how, '')});
        if (data.how === 'power_loss') Object.assign(view, {lost: view.writes, writes: emptyView.writes});
        break;
      case 'paused':
        view.paused = true;
        break;
      case 'resumed':
        view.paused = false;
        break;
      case 'wiped':
        Object.assign(view, {log: -1, writes: emptyView.writes, lost: emptyView.lost});
        break;
      case 'role':
        if (view.up === null) view.up = true;
        break;
      case 'phase':
        view.role = wordOr(data.role, view.role);
        view.phase = wordOr(data.phase, '');
        break;
      case 'written':
        if (data.durable !== true) view.writes = view.writes.concat([i]);
        break;
      case 'synced':
      case 'write_failed':
        if (view.writes.length > 0) {
          const at = view.writes.indexOf(event.cause);
          view.writes = view.writes.filter((_, index) => index !== Math.max(at, 0));
        }
        break;
      default:
    }
    const role = this.roleAfter(event, data);
    if (role !== '') {
      view.role = role;
      view.phase = wordOr(data.phase, '');
    }
    if (hasChanges(event)) {
      const {changes} = event;
      ++view.changes;
      if (isObject(changes) && own(changes, 'up')) view.upInState = changes.up;
      if (typeof view.upInState === 'boolean') view.up = view.upInState;
    }
    const picture = data.picture;
    if (isObject(picture) && Array.isArray(picture.cells))
      view[picture.caption === this.statePicture ? 'log' : 'box'] = i;
    if (typeof event.text === 'string' && event.text !== '') view.said = i;
  }

  /** The role that an event gives its node, as itself says, or as the header's `turns` do; empty: none. */
  roleAfter(event, data) {
    if (event.kind === 'role') return wordOr(data.to, '');
    const turn = this.turnsOf.find((one) => fits(one.event, event, data));
    return turn === undefined ? '' : wordOr(turn.role, '');
  }

  readMark(i, event, data, row, world) {
    if (event.kind === 'cut' || event.kind === 'healed' || event.kind === 'broken')
      this.marks.push({row, kind: event.kind});
    if (event.kind === 'timer' && typeof event.cause === 'number') this.pending.push([event.cause, i]);
    if (typeof event.node !== 'number') return;
    const lane = this.laneOf.get(event.node),
      node = this.nodes[lane],
      view = world.views[lane];
    if (event.kind === 'stopped') this.marks.push({row, kind: 'stopped'});
    const tone = this.tone(node, view);
    const bands = this.bands[lane];
    const last = bands[bands.length - 1];
    // Whoever is put into its role before the run is not elected.
    const placed = data.from !== undefined && data.from === data.to;
    if (!placed && this.elections.some((pattern) => fits(pattern, event, data)))
      this.marks.push({row, kind: 'elected'});
    if (
      last !== undefined &&
      last.tone === tone &&
      last.role === view.role &&
      last.paused === view.paused &&
      (last.phase === view.phase || !own(this.phases, view.phase))
    )
      return;
    if (last === undefined && node.kind === 'client')
      bands.push({from: 0, to: row, tone: 'client', role: '', phase: '', paused: false});
    if (last !== undefined) last.to = row;
    bands.push({from: row, to: -1, tone, role: view.role, phase: view.phase, paused: view.paused});
    // A node that starts and takes its role in the same row has one label.
    if (view.role !== '') {
      const turns = this.turns.get(row) ?? [];
      if (turns.length === 0) this.turns.set(row, turns);
      const names = last === undefined || last.role !== view.role;
      turns.push({lane, role: names ? view.role : '', phase: own(this.phases, view.phase) ? view.phase : '', tone});
    }
  }

  /** What violations and losses needed: what each is, what was planted, and the events. */
  readWhys() {
    const words = (list) => listOr(list).map((word) => wordOr(word, ''));
    this.whys = listOr(this.trace.why)
      .filter(isObject)
      .map((why) => ({
        violated: words(why.violated),
        lost: listOr(why.lost).filter((id) => typeof id === 'number'),
        settings: [...words(why.mutations), ...words(why.rules), ...words(why.steps), ...words(why.choices)],
        variant: why.variant === true,
        untried: typeof why.untried === 'number' ? why.untried : 0,
        events: listOr(why.events).filter((line) => isObject(line) && this.events[line.event] !== undefined),
      }));
  }

  /** Takes what violations needed, and of what times without a leader consisted, when it is found after the rest. */
  explain(why, outages) {
    this.trace.why = why;
    this.outagesTold = outages;
    this.readWhys();
  }

  /** Times without a leader, with parts whose events there are. */
  get outages() {
    const isEvent = (index) => this.events[index] !== undefined;
    const number = (value) => (typeof value === 'number' ? value : 0);
    return listOr(this.outagesTold)
      .filter((one) => isObject(one) && isEvent(one.led_by))
      .map((one) => ({
        begin: number(one.begin),
        end: number(one.end),
        lostBy: isEvent(one.lost_by) ? one.lost_by : -1,
        ledBy: one.led_by,
        parts: listOr(one.parts)
          .filter(isObject)
          .map((part) => ({
            kind: wordOr(part.kind, ''),
            ms: number(part.ms),
            times: number(part.times),
            earlier: number(part.earlier_ms),
            setting: wordOr(part.setting, ''),
            event: isEvent(part.event) ? part.event : -1,
          })),
      }));
  }

  /** The rows of all of them. */
  whyRows() {
    const rows = new Uint8Array(this.rows);
    for (const why of this.whys) for (const line of why.events) rows[this.rowOf[line.event]] = 1;
    return rows;
  }

  readVerdicts() {
    this.checks = this.verdicts.map((verdict) => {
      const broken = verdict.verdict === 'violated' || verdict.verdict === 'failed';
      const has = typeof verdict.event === 'number' && verdict.event >= 0 && verdict.event < this.events.length;
      return {
        name: wordOr(verdict.name, ''),
        kind: wordOr(verdict.kind, ''),
        verdict: wordOr(verdict.verdict, ''),
        text: wordOr(verdict.text, ''),
        said: verdict.said,
        about: wordOr(verdict.about, ''), // what was violated is about this, as boxes write it
        broken,
        event: has ? verdict.event : -1,
        row: has ? this.rowOf[verdict.event] : -1,
      };
    });
    this.brokenAt = new Map(); // by row
    for (const check of this.checks) {
      if (!check.broken || check.row < 0) continue;
      this.marks.push({row: check.row, kind: 'violated'});
      this.brokenAt.set(check.row, (this.brokenAt.get(check.row) ?? []).concat([check]));
    }
  }

  /** Everything as it is after a row; -1: before the first. The result is valid until the next call with the same cursor. */
  worldAt(row, cursor = 0) {
    let world = this.cursors[cursor];
    const frame = Math.floor(Math.max(row, 0) / frameRows);
    if (world.row > row || world.row < this.frames[frame].row) world = this.cursors[cursor] = this.frames[frame].copy();
    for (; world.row < row; ++world.row) {
      for (let i = this.first[world.row + 1]; i < this.end(world.row + 1); ++i) this.apply(world, i, this.events[i]);
    }
    return world;
  }

  /** The state of a node in a world; it is not to be changed. */
  stateIn(world, lane) {
    return this.states[lane].after(world.views[lane].changes);
  }

  /** Timers that are set after a row and will fire: [timer event]. */
  timersAt(row) {
    const end = this.end(row);
    const result = [];
    for (let at = this.firstTimerAfter(end); at < this.pending.length && result.length < 200; ++at) {
      if (this.pending[at][0] < end) result.push(this.pending[at][1]);
    }
    return result;
  }
  firstTimerAfter(event) {
    let low = 0,
      high = this.pending.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pending[middle][1] < event) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The events that a row's events led to elsewhere. */
  effectsOf(row) {
    if (this.effects === null) {
      this.effects = new Map();
      this.events.forEach((event, i) => {
        if (typeof event.cause !== 'number' || !(event.cause < i)) return;
        const from = this.rowOf[event.cause];
        if (from === this.rowOf[i] || from === undefined) return;
        const list = this.effects.get(from);
        if (list === undefined) this.effects.set(from, [i]);
        else list.push(i);
      });
    }
    return this.effects.get(row) ?? [];
  }

  /** The rows of the chain of causes of a row: 1 in the result. */
  chainOf(row) {
    const past = new Uint8Array(this.rows);
    past[row] = 1;
    for (let at = row; at >= 0; --at) {
      if (!past[at]) continue;
      for (let i = this.first[at]; i < this.end(at); ++i) {
        const cause = this.events[i].cause;
        if (typeof cause === 'number' && cause < i) past[this.rowOf[cause]] = 1;
      }
    }
    return past;
  }

  /** The rows that can have had an influence on a row: by messages and by what a node did before. */
  pastOf(row) {
    const past = new Uint8Array(this.rows);
    const horizon = new Int32Array(this.nodes.length).fill(-1);
    past[row] = 1;
    if (this.lane[row] >= 0) horizon[this.lane[row]] = row;
    for (let at = row; at >= 0; --at) {
      const lane = this.lane[at];
      if (lane >= 0 && horizon[lane] >= at) past[at] = 1;
      if (!past[at]) continue;
      for (let i = this.first[at]; i < this.end(at); ++i) {
        const cause = this.events[i].cause;
        if (typeof cause !== 'number' || !(cause < i)) continue;
        const from = this.rowOf[cause];
        past[from] = 1;
        if (this.lane[from] >= 0) horizon[this.lane[from]] = Math.max(horizon[this.lane[from]], from);
      }
    }
    return past;
  }
}

function same(a, b) {
  if (a === b) return true;
  if (
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    a === null ||
    b === null ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => own(b, key) && same(a[key], b[key]));
}

/** The index of the first event in which two runs differ, or -1. */
/** What one run has and the other has not: its variant, rules, planted bugs and seed, each as text. */
export function ownSettings({header}, other) {
  const words = (of, key) => listOr(of[key]).filter((word) => typeof word === 'string');
  const result = [];
  const otherVariant = header.variant !== other.header.variant;
  if (otherVariant) result.push(wordOr(header.variant, ''));
  // The rules of a header are those that make its variant what it is, too.
  for (const key of otherVariant ? ['mutations'] : ['rules', 'mutations'])
    result.push(...words(header, key).filter((word) => !words(other.header, key).includes(word)));
  return {
    settings: result.filter((word) => word !== ''),
    seed: header.seed !== other.header.seed ? header.seed : undefined,
  };
}

export function firstDifference(one, other) {
  const count = Math.min(one.events.length, other.events.length);
  for (let i = 0; i < count; ++i) {
    if (!same(one.events[i], other.events[i])) return i;
  }
  return one.events.length === other.events.length ? -1 : count;
}

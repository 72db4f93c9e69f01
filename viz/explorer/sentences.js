// What happened, in words: a trace's own sentence if it has one, translated if the page is not in English, else
// one made from what kinds that every protocol has contain.

import {clean} from './dom.js';
import {isObject} from './model.js';
import {asWords} from './words.js';

const how = {start: 'say_started', restart: 'say_restarted', placed: 'say_placed'};
const ends = {stop: 'say_stop', kill: 'say_kill', power_loss: 'say_power_loss', exit: 'say_exit'};
const simple = new Set([
  'delivered',
  'lost',
  'connected',
  'refused',
  'closed',
  'broken',
  'timer',
  'durable',
  'age',
  'written',
  'synced',
  'write_failed',
  'cut',
  'healed',
  'held',
  'released',
  'taken_up',
  'skipped',
  'set',
  'role',
  'phase',
  'transmitted',
  'paused',
  'resumed',
  'wiped',
]);

/** A value as short text. */
export function brief(value, most = 120) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return clean(value, most);
  if (typeof value === 'number') return value < -9e15 ? '–' : String(value);
  if (typeof value === 'boolean') return String(value);
  return clean(
    JSON.stringify(value, (_key, inner) => (inner === null ? '–' : inner))
      .replace(/"([A-Za-z_][\w-]*)":/g, '$1: ')
      .replace(/"/g, '')
      .replace(/,(?=\S)/g, ', ')
      .replace(/-9223372036854776000|-9223372036854775808/g, '–'),
    most,
  );
}

function links(model, list) {
  if (!Array.isArray(list)) return '';
  const pairs = list.filter(Array.isArray);
  const both = new Set(pairs.map((link) => link[0] + '>' + link[1]));
  const texts = [];
  for (const [from, to] of pairs) {
    const twoWay = both.has(to + '>' + from);
    if (twoWay && from > to) continue;
    texts.push(clean(model.name(from), 40) + (twoWay ? ' ↔ ' : ' → ') + clean(model.name(to), 40));
    if (texts.length === 8 && pairs.length > 8) return texts.join(', ') + ' …';
  }
  return texts.join(', ');
}

/** Cut links, given as `from>to`. */
export function cutsInWords(model, cuts) {
  return links(
    model,
    [...cuts].map((key) => key.split('>').map(Number)),
  );
}

/** What a scenario holds back. */
export function selectorInWords(model, selector) {
  if (!isObject(selector)) return brief(selector);
  const {link, from, to, message, ...rest} = selector;
  const way =
    (from === undefined ? '' : clean(model.name(from), 40)) +
    ' → ' +
    (to === undefined ? '' : clean(model.name(to), 40));
  const more = message === undefined && Object.keys(rest).length === 0 ? '' : ' ' + brief(message ?? rest, 60);
  return way + (link === undefined ? '' : ` (${clean(link, 40)})`) + more;
}

/** What an event that every protocol has says; empty if it is another one. */
function general(model, event, say) {
  const data = event.data,
    kind = event.kind;
  const key =
    kind === 'started'
      ? (how[data.how] ?? 'say_started')
      : kind === 'stopped'
        ? (ends[data.how] ?? 'say_stop')
        : kind === 'sent'
          ? data.waiting === true
            ? 'say_waiting'
            : 'say_sent'
          : simple.has(kind)
            ? 'say_' + kind
            : '';
  if (key === '') return '';
  const nameOf = (id) => (typeof id === 'number' ? clean(model.name(id), 60) : brief(id, 60));
  const message = model.messages[model.messageOf[event.index]];
  return say(key, {
    node: nameOf(event.node),
    receiver: nameOf(data.receiver ?? message?.to),
    from: nameOf(data.from),
    peer: nameOf(data.peer),
    label: clean(message === undefined ? (data.label ?? data.type ?? '') : say.text(message.said, message.label), 80),
    link: asWords(data.link),
    exit: say.word(clean(data.reason ?? '')),
    loss: say.word(asWords(data.reason)),
    timer: asWords(data.timer) + (data.peer === undefined ? '' : ' ' + nameOf(data.peer)),
    key: brief(data.key, 60),
    ms: brief(data.ms),
    record: asWords(data.record),
    links: links(model, data.links),
    between: Array.isArray(data.between) ? data.between.map(nameOf).join(' – ') : '',
    selector: selectorInWords(model, data.selector),
    action: brief(data.action),
    fields: brief(data.fields),
    to: asWords(data.to),
    phase: say.word(asWords(data.phase)),
  });
}

/** The plain fields of an event's data. */
function fieldsInWords(data) {
  const fields = Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .slice(0, 5);
  return fields.length === 0
    ? ''
    : ' (' + fields.map(([key, value]) => asWords(key) + ' ' + asWords(brief(value, 40))).join(', ') + ')';
}

/** An event in words, whether they are the trace's own, and their language if it is not the page's. */
export function sentence(model, event, say) {
  const text = typeof event.text === 'string' ? event.text : '';
  const translated = say.said(event.said, text);
  if (text !== '' && translated !== null) return {text: clean(translated, 400), own: true, lang: false};
  // `role` is told better by the protocol.
  const words = text !== '' && event.kind === 'role' ? '' : general(model, event, say);
  if (words !== '') return {text: words, own: false, lang: false};
  if (text !== '') return {text: clean(text, 400), own: true, lang: 'en'};
  const node = typeof event.node === 'number' ? clean(model.name(event.node), 60) + ': ' : '';
  return {text: node + say.word(asWords(event.kind)) + fieldsInWords(event.data), own: false, lang: false};
}

/** The events of a row that its line tells: those with a sentence of their own, else the first. */
export function tellingEvents(model, row) {
  const events = [];
  for (let i = model.first[row]; i < model.end(row); ++i) {
    if (typeof model.events[i].text === 'string' && model.events[i].text !== '') events.push(model.events[i]);
  }
  return events.length > 0 ? events : [model.events[model.first[row]]];
}

/** A row in one line. */
export function line(model, row, say) {
  return tellingEvents(model, row)
    .slice(0, 4)
    .map((event) => sentence(model, event, say).text)
    .join(' · ');
}

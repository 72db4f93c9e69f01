// What stands below a run's title: its exercise, what violations and losses needed, and of what times without a leader
// consisted.

import {clean, el} from './dom.js';
import {isObject} from './model.js';
import {sentence} from './sentences.js';

/** What a run's exercise asks for, whether the run does it, and what it lacks. */
export function exerciseOf(page, model) {
  const say = page.say();
  const task = isObject(model.scenario) && isObject(model.scenario.exercise) ? model.scenario.exercise.task : null;
  if (!isObject(task)) return [];
  const result = isObject(model.header.exercise) ? model.header.exercise : {};
  const isSolved = result.solved === true;
  const lang = typeof task[page.language] === 'string' ? page.language : 'en';
  const missing = Array.isArray(result.missing) && !isSolved ? result.missing.slice(0, 6) : [];
  return [
    el('p', {}, el('b', {}, say('exercise')), ' ', el('bdi', {lang}, clean(task[lang] ?? '', 1000))),
    el('p', {class: isSolved ? 'solved' : 'unsolved'}, say(isSolved ? 'exercise_solved' : 'exercise_unsolved')),
    ...missing.map((text) => el('p', {class: 'quiet'}, el('bdi', {lang: 'en'}, clean(text, 300)))),
  ];
}

/** Of two runs, what does not have the same result in both. */
export function comparedOf(page) {
  const say = page.say();
  const [ours, theirs] = page.models.map(
    (model) => new Map(model.checks.filter((check) => check.kind === 'invariant').map((check) => [check.name, check])),
  );
  const wordOf = (check) =>
    check === undefined ? say('verdict_none') : say(`verdict_${check.verdict.replace(' ', '_')}`);
  const differing = [...new Set([...ours.keys(), ...theirs.keys()])].filter(
    (name) => ours.get(name)?.verdict !== theirs.get(name)?.verdict,
  );
  const isBroken = (name) => ours.get(name)?.broken === true || theirs.get(name)?.broken === true;
  return differing
    .sort((a, b) => Number(isBroken(b)) - Number(isBroken(a)))
    .slice(0, 4)
    .map((name) =>
      el(
        'p',
        {},
        el('b', {}, el('bdi', {}, clean(name, 80))),
        ' ',
        say('compare_verdicts', {a: wordOf(ours.get(name)), b: wordOf(theirs.get(name))}),
      ),
    );
}

/** What a violation or a loss needed, each line a way to its step. */
export function whyOf(page, model, why) {
  const say = page.say();
  const harms = [
    ...why.violated.map((name) => say('why_violated', {name: clean(name, 80)})),
    ...why.lost.map((id) => say('why_lost', {client: model.name(id)})),
  ];
  const settings = why.variant ? [...why.settings, clean(model.header.variant ?? '', 60)] : why.settings;
  const lines = why.events.map((line) => {
    const event = model.events[line.event];
    const holders = Array.isArray(line.holders)
      ? '; ' + say('why_holders', {servers: line.holders.map((id) => model.name(id)).join(', ') || say('none')})
      : '';
    const told = sentence(model, event, say);
    return el(
      'li',
      {class: line.needed === true ? 'needed' : ''},
      el(
        'button',
        {type: 'button', onclick: () => page.goToEvent(line.event)},
        el('span', {}, `${event.time} ms `, el('bdi', {lang: told.lang}, told.text), holders),
      ),
    );
  });
  return el(
    'details',
    {},
    el('summary', {}, say('why_harms', {harms: harms.join(', ')})),
    why.events.some((line) => line.needed === true) ? el('p', {class: 'quiet'}, say('why_needed')) : null,
    settings.length > 0 ? el('p', {}, say('why_settings', {settings: clean(settings.join(', '), 300)})) : null,
    el('ul', {}, lines),
    why.untried > 0 ? el('p', {class: 'quiet'}, say('why_untried', {n: why.untried})) : null,
  );
}

/** Times without a leader, and of what they consist, each line a way to its step. */
export function outagesOf(page, model) {
  const say = page.say();
  const to = (event, text) =>
    event < 0
      ? el('span', {}, text)
      : el('button', {type: 'button', onclick: () => page.goToEvent(event)}, el('span', {}, el('bdi', {}, text)));
  const told = (event) => sentence(model, model.events[event], say).text;
  const nodeOf = (event) => model.name(model.events[event].node);
  const wordsOf = (part) => {
    if (part.kind === 'scenario') return say('outage_scenario', {event: part.event < 0 ? '' : told(part.event)});
    if (part.kind !== 'timer' || part.event < 0) return say(`outage_${part.kind}`);
    const name = clean(model.events[part.event].data.timer ?? '', 60);
    const timer = part.setting === '' ? name : say('one_and_more', {one: name, more: clean(part.setting, 100)});
    return say('outage_timer', {node: nodeOf(part.event), timer});
  };
  const lineOf = (part) => {
    let words = wordsOf(part);
    if (part.times > 1) words = say('outage_times', {what: words, count: part.times});
    if (part.earlier > 0) words = say('outage_earlier', {what: words, ms: part.earlier});
    return el('li', {}, to(part.event, `${part.ms} ms  ${words}`));
  };
  const outages = model.outages;
  return el(
    'details',
    {id: 'outages'},
    el('summary', {}, say('outages', {list: outages.map((one) => `${one.end - one.begin} ms`).join(', ')})),
    outages.map((one) => [
      el(
        'p',
        {},
        to(
          one.lostBy < 0 ? one.ledBy : one.lostBy,
          say('outage', {
            ms: one.end - one.begin,
            begin: one.begin,
            event: one.lostBy < 0 ? say('run_begins') : told(one.lostBy),
            node: nodeOf(one.ledBy),
            end: one.end,
          }),
        ),
      ),
      el('ul', {}, one.parts.map(lineOf)),
    ]),
  );
}

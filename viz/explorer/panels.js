// What stands beside the ladder: the step, the nodes, the messages in flight, the network, the invariants.

import {clean, el, folding} from './dom.js';
import {cellText, marked} from './ladder.js';
import {grownBy, isGrown, isObject, pictureOf, plain} from './model.js';
import {brief, cutsInWords, selectorInWords, sentence} from './sentences.js';
import {asWords} from './words.js';

const flightMost = 60,
  changesMost = 14,
  effectsMost = 8,
  treeMost = 40,
  eventsMost = 40;

export function section(id, title, ...content) {
  return el(
    'section',
    {class: 'panel', id, 'aria-labelledby': `${id}-title`},
    el('h2', {id: `${id}-title`}, title),
    ...content,
  );
}

/** A link to an event. */
function link(page, event, text) {
  return el(
    'a',
    {
      href: `#step=${event}`,
      class: 'to-step',
      title: page.say()('to_step', {n: event}),
      onclick: (click) => {
        click.preventDefault();
        page.goToEvent(event);
      },
    },
    text ?? `#${event}`,
  );
}

/** Adds what differs between two values: [path, old, new, kind]. What is the same object did not change. */
function differences(path, old, now, result) {
  if (old === now || result.length > 400) return;
  const more = grownBy(old, now);
  if (more !== null) {
    if (more.length > 0) result.push([path, undefined, more, 'appended']);
  } else if (isObject(old) && isObject(now) && !isGrown(old) && !isGrown(now)) {
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
      const has = Object.prototype.hasOwnProperty;
      differences(
        path === '' ? key : `${path}.${key}`,
        has.call(old, key) ? old[key] : undefined,
        has.call(now, key) ? now[key] : undefined,
        result,
      );
    }
  } else {
    const before = plain(old),
      after = plain(now);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    if (
      Array.isArray(before) &&
      Array.isArray(after) &&
      after.length > before.length &&
      JSON.stringify(after.slice(0, before.length)) === JSON.stringify(before)
    ) {
      result.push([path, undefined, after.slice(before.length), 'appended']);
    } else {
      result.push([path, before, after, now === undefined ? 'removed' : 'changed']);
    }
  }
}

export function stepPanel(page, model, row) {
  const say = page.say();
  const events = [];
  for (let i = model.first[row]; i < model.end(row) && events.length < eventsMost; ++i) {
    const told = sentence(model, model.events[i], say);
    events.push(
      el('li', {class: told.own && model.events[i].text ? 'tells' : ''}, el('bdi', {lang: told.lang}, told.text)),
    );
  }
  const broken = (model.brokenAt.get(row) ?? []).map((check) =>
    el(
      'p',
      {class: 'bad'},
      `! ${clean(check.name, 100)}: ${say(check.kind === 'expectation' ? 'failed' : 'violated_here')}`,
      check.text === '' ? null : el('bdi', {class: 'reason'}, ' ' + clean(reasonOf(check, say), 400)),
    ),
  );
  const cause = model.events[model.first[row]].cause;
  const effects = model.effectsOf(row);
  const chain = el(
    'p',
    {class: 'causes'},
    typeof cause === 'number' && cause < model.first[row] ? [say('cause') + ' ', link(page, cause)] : null,
    effects.length > 0
      ? [
          typeof cause === 'number' ? ' · ' : '',
          say('causes') + ' ',
          effects.slice(0, effectsMost).map((event) => [link(page, event), ' ']),
          effects.length > effectsMost ? say('more', {n: effects.length - effectsMost}) : '',
        ]
      : null,
  );
  const buttons = el(
    'div',
    {class: 'buttons'},
    el(
      'button',
      {
        type: 'button',
        id: 'why',
        title: say('why_title'),
        'aria-pressed': page.whyMode() !== '' ? 'true' : 'false',
        onclick: () => page.why(),
      },
      say('why'),
    ),
    el(
      'button',
      {type: 'button', id: 'what-if', title: say('what_if_title'), onclick: () => page.whatIf()},
      say('what_if'),
    ),
    el(
      'button',
      {type: 'button', id: 'copy-link', onclick: (event) => page.copyLink(event.currentTarget)},
      say('link'),
    ),
  );
  return section(
    'step',
    say('this_step'),
    ...broken,
    el('ul', {class: 'told'}, events),
    model.end(row) - model.first[row] > eventsMost
      ? el('p', {class: 'quiet'}, say('more', {n: model.end(row) - model.first[row] - eventsMost}))
      : null,
    chain,
    page.whyMode() !== '' ? el('p', {class: 'note', id: 'why-note'}, page.whyText()) : null,
    buttons,
    changesOf(page, model, row),
  );
}

function changesOf(page, model, row) {
  const say = page.say();
  const lane = model.lane[row];
  const lines = [];
  let most = changesMost;
  if (lane >= 0) {
    const before = {...model.stateIn(model.worldAt(row - 1, 1), lane)};
    const after = model.stateIn(model.worldAt(row, 1), lane);
    // The state of a process that ended is gone as a whole.
    if (before.up === true && after.up === false) {
      for (const key of Object.keys(before)) if (!(key in after)) delete before[key];
    }
    differences('', before, after, lines);
    // Of a process that begins everything is new: what it is comes first, and the rest is for those who ask.
    if (before.up !== true && after.up === true) {
      const says = ([path]) => path === 'role' || path === 'phase';
      lines.sort((a, b) => says(b) - says(a));
      most = lines.filter(says).length;
    }
  }
  if (lines.length === 0) return el('p', {class: 'quiet', id: 'changes'}, say('unchanged'));
  const shown = (some) =>
    el(
      'dl',
      {class: 'changes'},
      some.map(([path, old, now, kind]) => [
        el('dt', {}, el('bdi', {}, clean(path, 80))),
        el(
          'dd',
          {},
          kind === 'appended'
            ? [el('span', {class: 'sign'}, '+ '), el('bdi', {}, brief(now, 160))]
            : [
                old === undefined ? null : [el('del', {}, el('bdi', {}, brief(old, 90))), ' → '],
                now === undefined ? el('em', {}, say('removed')) : el('ins', {}, el('bdi', {}, brief(now, 160))),
              ],
        ),
      ]),
    );
  return el(
    'div',
    {id: 'changes'},
    el('h3', {}, say('changed')),
    shown(lines.slice(0, most)),
    lines.length > most
      ? el('details', {}, el('summary', {}, say('more', {n: lines.length - most})), shown(lines.slice(most, 200)))
      : null,
  );
}

/** `about`: what the step violates is about these, cells or captions. */
function cellsOf(say, box, about) {
  const most = 24;
  const cells = box.ofState ? box.cells.slice(-most) : box.cells.slice(0, most);
  return el(
    'span',
    {class: 'cells'},
    box.cells.length > most && box.ofState ? el('span', {class: 'cell mark-plain'}, '…') : null,
    cells.map((cell) =>
      el(
        'span',
        {
          class: `cell mark-${marked(cell.mark)}` + (about.has(cell.text) ? ' broken' : ''),
          title: say('mark_' + marked(cell.mark)) || false,
        },
        cellText(cell) + (about.has(cell.text) ? '!' : ''),
      ),
    ),
    box.cells.length > most && !box.ofState ? el('span', {class: 'cell mark-plain'}, '…') : null,
  );
}

/** The value at a path, as `client.server`. */
function valueAt(state, path) {
  return path
    .split('.')
    .reduce(
      (value, key) => (isObject(value) && Object.prototype.hasOwnProperty.call(value, key) ? value[key] : undefined),
      state,
    );
}

/** What the header gives a name in each language. */
function nameOf(thing, say) {
  const name = isObject(thing.name) ? (thing.name[say.language] ?? thing.name.en) : thing.name;
  return clean(typeof name === 'string' ? name : asWords(thing.field), 40);
}

/** A map by paths as a tree: each path below the one that it is in, with those of its fields that are to be shown. */
function treeLine(tree, state, say) {
  const nodes = plain(valueAt(state, tree.field));
  if (!isObject(nodes)) return null;
  const hidden = (Array.isArray(tree.hidden) ? tree.hidden : []).filter((path) => typeof path === 'string');
  const paths = Object.keys(nodes)
    .filter((path) => !hidden.some((one) => path === one || path.startsWith(one + '/')))
    .map((path) => [path.replaceAll('/', '\0'), path]) // what is below a path comes before any longer name
    .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
    .map(([, path]) => path);
  const shown = (Array.isArray(tree.shows) ? tree.shows : []).filter((field) => typeof field === 'string');
  const item = (path) => {
    const values = shown
      .map((field) => [field, valueAt(nodes[path], field)])
      .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== 0);
    const depth = path === '/' ? 0 : path.split('/').length - 1;
    return el(
      'li',
      {css: {'--depth': Math.min(depth, 12)}},
      el('bdi', {class: 'path'}, clean(path.slice(path.lastIndexOf('/')), 60)),
      values.map(([field, value]) => [
        ' ',
        el('span', {class: 'fact'}, asWords(field) + ' ', el('b', {}, el('bdi', {}, brief(value, 40)))),
      ]),
    );
  };
  return el(
    'div',
    {class: 'line'},
    el('span', {class: 'name'}, nameOf(tree, say)),
    el(
      'ul',
      {class: 'tree'},
      paths.slice(0, treeMost).map(item),
      paths.length > treeMost ? el('li', {}, `… ${paths.length - treeMost}`) : null,
    ),
  );
}

function factsOf(model, state, say) {
  const facts = [];
  if (model.facts.length > 0) {
    for (const fact of model.facts) {
      const value = valueAt(state, fact.field);
      if (value === undefined || value === null) continue;
      facts.push([
        nameOf(fact, say),
        fact.node === true && typeof value === 'number' ? clean(model.name(value), 40) : brief(plain(value), 50),
      ]);
    }
    return facts;
  }
  // A header that names no facts: the plain fields of the state.
  for (const [field, value] of Object.entries(state)) {
    if (facts.length === 6) break;
    if (['up', 'self', 'role', 'phase'].includes(field) || (typeof value !== 'number' && typeof value !== 'string'))
      continue;
    facts.push([asWords(field), brief(value, 40)]);
  }
  return facts;
}

function nodeCard(page, model, node, world, row, timers) {
  const say = page.say();
  const view = world.views[node.lane],
    state = model.stateIn(world, node.lane);
  const tone = model.tone(node, view);
  const chosen = page.lane() === node.lane;
  const roles = [asWords(view.role), say.word(asWords(view.phase))].filter((word) => word !== '').join(' · ');
  const ofRole = view.up === false || view.role === '' ? tone : model.toneOfRole(view.role);
  const words = say('tone_' + ofRole) + (ofRole === tone ? '' : ' · ' + say('tone_' + tone));
  const head = el(
    'button',
    {
      type: 'button',
      class: 'node-head',
      'aria-pressed': chosen ? 'true' : 'false',
      onclick: () => page.onLane(node.lane),
    },
    el('span', {class: `swatch tone-${tone}`}),
    el('strong', {}, el('bdi', {}, clean(node.name, 60))),
    el(
      'span',
      {class: 'role'},
      (view.paused ? say('paused') + ' · ' : '') +
        words +
        (tone === 'down' && view.down !== '' ? ` (${say.word(asWords(view.down))})` : ''),
    ),
    roles === '' ? null : el('span', {class: 'raw'}, roles),
  );
  const lines = [];
  const about = new Set((model.brokenAt.get(row) ?? []).map((check) => check.about).filter((text) => text !== ''));
  const facts = view.up === false ? [] : factsOf(model, state, say);
  if (facts.length > 0)
    lines.push(
      el(
        'p',
        {class: 'facts'},
        facts.map(([name, value]) => el('span', {class: 'fact'}, name + ' ', el('b', {}, el('bdi', {}, value)), ' ')),
      ),
    );
  if (view.box >= 0) {
    const box = pictureOf(model.events[view.box], model.statePicture);
    const counted = box.cells.filter((cell) => cell.mark === 'counted').length;
    lines.push(
      el(
        'div',
        {class: 'line box' + (box.quorum ? ' quorum' : '') + (about.has(box.caption) ? ' broken' : '')},
        el('span', {class: 'name'}, say('box')),
        el(
          'div',
          {},
          cellsOf(say, box, about),
          ' ',
          el(
            'span',
            {class: 'tally'},
            say('tally', {n: counted}) + (box.quorum ? ' · ' : ''),
            box.quorum
              ? el('b', {}, box.caption === '' ? say('quorum') : clean(say.text(box.said, box.caption), 60))
              : box.caption === ''
                ? ''
                : ' · ' + clean(say.text(box.said, box.caption), 60),
            ' ',
            link(page, view.box),
          ),
        ),
      ),
    );
  }
  if (view.log >= 0) {
    const box = pictureOf(model.events[view.log], model.statePicture);
    if (view.down === 'power_loss' && view.lost.length > 0) {
      // what was not yet durable is gone
      for (const cell of box.cells) if (cell.mark === 'proposed') cell.mark = 'gone';
    }
    lines.push(
      el(
        'div',
        {class: 'line'},
        el('span', {class: 'name'}, box.caption === 'log' ? say('log') : clean(say.text(box.said, box.caption), 30)),
        box.cells.length === 0 ? el('em', {}, say('empty_log')) : cellsOf(say, box, about),
      ),
    );
  }
  if (view.up === true && node.kind !== 'client') lines.push(model.trees.map((tree) => treeLine(tree, state, say)));
  if (view.writes.length > 0 || view.lost.length > 0) {
    const list = view.writes.length > 0 ? view.writes : view.lost;
    const what =
      list
        .slice(0, 5)
        .map((i) => asWords(model.events[i].data.record))
        .join(', ') + (list.length > 5 ? ' …' : '');
    lines.push(
      el(
        'div',
        {class: 'line'},
        el('span', {class: 'name'}, say('disk')),
        el(
          'span',
          {class: 'unsynced'},
          say(view.writes.length > 0 ? 'disk_pending' : 'disk_lost', {what: `${list.length}: ${what}`}),
        ),
      ),
    );
  } else if (view.up === true && isObject(state.disk)) {
    lines.push(
      el('div', {class: 'line'}, el('span', {class: 'name'}, say('disk')), el('span', {}, say('disk_synced'))),
    );
  }
  const mine = timers.filter((i) => model.events[i].node === node.id);
  if (mine.length > 0) {
    lines.push(
      el(
        'div',
        {class: 'line'},
        el('span', {class: 'name'}, say('timers')),
        el(
          'span',
          {},
          mine
            .slice(0, 4)
            .map((i, at) => [
              at > 0 ? ', ' : '',
              say('timer_in', {timer: asWords(model.events[i].data.timer), ms: model.events[i].time - model.time(row)}),
              ' ',
              link(page, i),
            ]),
        ),
      ),
    );
  }
  if (view.said >= 0) {
    const told = sentence(model, model.events[view.said], say);
    lines.push(el('p', {class: 'said'}, link(page, view.said), ' ', el('bdi', {lang: told.lang}, told.text)));
  }
  const details = chosen
    ? folding(
        {class: 'state'},
        page.stateOpen(),
        (now) => page.onState(now),
        say('state', {name: clean(node.name, 60)}),
        el(
          'pre',
          {tabindex: '0', role: 'region', id: 'state-text', 'aria-label': say('state', {name: clean(node.name, 60)})},
          page.stateOpen() ? stateText(plain(state)) : '',
        ),
      )
    : null;
  return el(
    'li',
    {class: `node tone-edge-${tone}` + (chosen ? ' chosen' : '') + (model.lane[row] === node.lane ? ' active' : '')},
    head,
    lines,
    details,
  );
}

/** A state as text; strings cannot break it, since JSON escapes what is not plain. */
function stateText(state) {
  const text = JSON.stringify(state, null, 1).replace(
    /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => '\\u' + character.charCodeAt(0).toString(16).padStart(4, '0'),
  );
  return text.length > 400000 ? text.slice(0, 400000) + '…' : text;
}

export function nodesPanel(page, model, row) {
  const world = model.worldAt(row);
  const timers = model.timersAt(row);
  return section(
    'nodes',
    page.say()('nodes'),
    el(
      'ul',
      {class: 'nodes'},
      model.nodes
        .filter((node) => page.showsLane(model, node.lane))
        .map((node) => nodeCard(page, model, node, world, row, timers)),
    ),
  );
}

export function flightPanel(page, model, row) {
  const say = page.say();
  const world = model.worldAt(row);
  const flight = [...world.flight].map((place) => model.messages[place]);
  const now = model.time(row);
  const content =
    flight.length === 0
      ? el('p', {class: 'quiet'}, say('flight_none'))
      : el(
          'div',
          {class: 'table', tabindex: '0', role: 'region', 'aria-label': say('flight')},
          el(
            'table',
            {},
            el(
              'thead',
              {},
              el(
                'tr',
                {},
                ['message', 'from', 'to', 'since', 'age'].map((key) => el('th', {scope: 'col'}, say(key))),
              ),
            ),
            el(
              'tbody',
              {},
              flight
                .slice(-flightMost)
                .map((message) =>
                  el(
                    'tr',
                    {},
                    el(
                      'td',
                      {class: `label group-${model.groupOfType(message.type) % 8}`},
                      el('bdi', {}, clean(say.text(message.said, message.label), 60)),
                      message.left < 0 || model.rowOf[message.left] > row
                        ? el('small', {}, ' ' + say('waiting'))
                        : null,
                    ),
                    el('td', {}, el('bdi', {}, clean(model.name(message.from), 40))),
                    el('td', {}, el('bdi', {}, clean(model.name(message.to), 40))),
                    el('td', {}, message.sent < 0 ? '' : link(page, message.sent)),
                    el('td', {}, message.sent < 0 ? '' : `${now - model.events[message.sent].time} ms`),
                  ),
                ),
            ),
          ),
        );
  return section(
    'flight',
    `${say('flight')} (${flight.length})`,
    content,
    flight.length > flightMost ? el('p', {class: 'quiet'}, say('more', {n: flight.length - flightMost})) : null,
  );
}

export function networkPanel(page, model, row) {
  const say = page.say();
  const world = model.worldAt(row);
  if (world.cuts.size === 0 && world.holds.length === 0) return null;
  return section(
    'network',
    say('network'),
    world.cuts.size > 0 ? el('p', {class: 'cut-text'}, say('cut_now', {links: cutsInWords(model, world.cuts)})) : null,
    world.holds.length > 0
      ? el(
          'p',
          {},
          say('held_now', {
            what: world.holds
              .slice(0, 6)
              .map((selector) => selectorInWords(model, selector))
              .join('; '),
          }),
        )
      : null,
  );
}

export function invariantsPanel(page, model, row) {
  const say = page.say();
  const one = (check) => {
    const expects = check.kind === 'expectation';
    let text = '',
      bad = false;
    if (check.row < 0) {
      text = say(expects ? 'failed' : 'violated_run');
      bad = true;
    } else if (check.row === row) {
      text = say(expects ? 'failed_at' : 'violated_here', {n: check.event});
      bad = true;
    } else if (check.row < row) {
      text = say(expects ? 'failed_at' : 'violated_at', {n: check.event});
      bad = true;
    } else {
      text = say('violated_later', {n: check.event});
    }
    return el(
      'li',
      {class: bad ? 'bad' : 'later'},
      el('span', {class: 'status', 'aria-hidden': 'true'}, bad ? '✗' : '✓'),
      el(
        'span',
        {},
        el('b', {}, el('bdi', {}, clean(check.name, 100))),
        ' ',
        text,
        ' ',
        check.row >= 0 ? link(page, check.event) : null,
        check.text === '' || !bad ? null : el('p', {class: 'reason'}, el('bdi', {}, clean(reasonOf(check, say), 500))),
      ),
    );
  };
  const group = (kind) => model.checks.filter((check) => (kind === 'expectation') === (check.kind === 'expectation'));
  const invariants = group('invariant'),
    expectations = group('expectation');
  const held = invariants.filter((check) => check.verdict === 'held'),
    idle = invariants.filter((check) => check.verdict === 'not exercised');
  const names = (list, title) =>
    list.length === 0
      ? null
      : el(
          'details',
          {},
          el('summary', {}, title),
          el('p', {class: 'names'}, list.map((check) => asWordsKept(check.name)).join(', ')),
        );
  return section(
    'invariants',
    say('invariants'),
    invariants.length === 0 ? el('p', {class: 'quiet'}, say('invariants_none')) : null,
    el('ul', {class: 'checks'}, invariants.filter((check) => check.broken).map(one)),
    names(held, '✓ ' + say('held_all', {n: held.length})),
    names(idle, say('not_exercised', {n: idle.length})),
    expectations.length === 0
      ? null
      : el(
          'div',
          {},
          el('h3', {}, say('expectations')),
          el('ul', {class: 'checks'}, expectations.filter((check) => check.broken).map(one)),
          el(
            'p',
            {class: 'quiet'},
            '✓ ' + say('met_all', {n: expectations.filter((check) => check.verdict === 'met').length}),
          ),
        ),
  );
}

/** The reason of a verdict. */
function reasonOf(check, say) {
  return say.text(check.said, check.text);
}

function asWordsKept(name) {
  return clean(name, 100);
}

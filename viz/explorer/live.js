// What a page can do with the engine inside: change the run that it shows, and keep the runs that come of it.

import {clean, el, folding} from './dom.js';
import {firstDifference, isObject} from './model.js';
import {section} from './panels.js';
import {define, deflated, inflated} from './runs.js';
import {asPossibility, canChange, changedScenario, possibilities} from './whatif.js';
import {requestTo, requestsOf, scenarioOfRun, scenarioText} from './whatif.js';

const touchedMost = 12; // messages that the panel offers to change
const seedsAtOnce = 20; // between two looks at whether to go on
const statesMost = 200000; // of a search
const searchMs = 300000;

/** The runs of a page: those that it was opened with, and those that were made of them. */
export class Live {
  constructor(engine, models) {
    this.engine = engine;
    this.runs = models.map((model, id) => ({id, name: model.title, parent: null, model, scenario: null, warnings: []}));
    this.next = models.length;
    this.said = ''; // how the last request ended, if there is anything to say
    this.isBad = false;
    this.work = null; // what is under way, in words
    this.goesOn = false; // a search for a seed
    this.lists = new Map(); // by protocol
    this.models = new Map(); // texts of models, by run
    this.ms = 500;
    this.seed = '';
    this.planted = '';
  }

  runOf(model) {
    return this.runs.find((run) => run.model === model);
  }

  /** The run of which a run was made in the end. */
  rootOf(run) {
    return run.parent === null ? run : this.rootOf(run.parent);
  }

  /** The variants, rules and planted bugs of a protocol; null until they are known. */
  listsOf(protocol, known) {
    const lists = this.lists.get(protocol);
    if (lists === undefined) {
      this.lists.set(protocol, null);
      this.engine.ask({ask: 'lists', protocol}).then(
        (answer) => {
          this.lists.set(protocol, answer);
          known();
        },
        () => this.lists.delete(protocol),
      );
    }
    return lists ?? null;
  }

  add(name, parent, scenario) {
    const run = {id: this.next++, name, parent, model: null, scenario, warnings: [], isExplained: false};
    this.runs.push(run);
    return run;
  }

  remove(run) {
    for (const child of this.runs.filter((one) => one.parent === run)) this.remove(child);
    this.runs = this.runs.filter((one) => one !== run);
  }

  /** Does one thing at a time: what is under way goes on, and whatever else is asked meanwhile is not done. */
  async during(page, words, work) {
    if (this.work !== null) return;
    this.work = words;
    this.said = '';
    this.isBad = false;
    document.getElementById('touch-status')?.replaceWith(statusOf(page));
    try {
      await work();
    } catch (error) {
      this.said = error.message;
      this.isBad = true;
    }
    this.work = null;
    page.current().showPanels();
  }

  /** The runs that were made here, in an order in which each comes after its parent, to be saved with the page. */
  saved() {
    const made = this.runs.filter((run) => run.scenario !== null);
    const place = new Map(
      this.runs
        .filter((run) => run.scenario === null)
        .concat(made)
        .map((run, i) => [run, i]),
    );
    return made.map(({name, parent, scenario}) => ({name, parent: place.get(parent) ?? null, scenario}));
  }
  read(saved) {
    for (const {name, parent, scenario} of saved) this.add(name, this.runs[parent] ?? null, scenario);
  }

  /**
   * A run as a short text for a link: its name, and in what its scenario differs from that of the page's first run. A list
   * that only grew has what it has more.
   */
  codeOf({name, scenario}) {
    const base = scenarioOfRun(this.runs[0].model);
    const differs = {};
    for (const key of new Set([...Object.keys(base), ...Object.keys(scenario)])) {
      const old = base[key],
        now = scenario[key];
      if (JSON.stringify(old) === JSON.stringify(now)) continue;
      const grew =
        Array.isArray(old) && Array.isArray(now) && JSON.stringify(now.slice(0, old.length)) === JSON.stringify(old);
      differs[key] = now === undefined ? {} : grew ? {more: now.slice(old.length)} : {is: now};
    }
    return deflated(JSON.stringify({name, differs}));
  }

  /** Runs the page's run once, so that the first change does not wait until the engine's code is compiled. */
  warmUp() {
    const {model} = this.runs[0];
    if (model.events.length > 5000 || !canChange(model)) return;
    this.engine.ask({ask: 'run', scenario: scenarioText(scenarioOfRun(model))}).catch(() => {});
  }

  /** Shows the run of such a text beside the page's own. */
  openLinked(page, code) {
    if (code === null) return undefined;
    return this.during(page, '…', async () => {
      const scenario = scenarioOfRun(this.runs[0].model);
      let name;
      try {
        const bytes = await inflated(code.replaceAll('-', '+').replaceAll('_', '/'));
        const made = JSON.parse(new TextDecoder().decode(bytes));
        name = clean(made.name, 120);
        for (const [key, one] of Object.entries(made.differs)) {
          if (Array.isArray(one.more)) define(scenario, key, scenario[key].concat(one.more));
          else if ('is' in one) define(scenario, key, one.is);
          else delete scenario[key];
        }
      } catch {
        throw new Error(page.say()('link_damaged'));
      }
      await this.make(page, name, this.runs[0], scenario);
    });
  }

  /** The model of a run, which is run now if it was only saved. */
  async modelOf(run, makeModel) {
    if (run.model !== null) return run.model;
    const answer = await this.engine.ask({ask: 'run', scenario: scenarioText(run.scenario)});
    run.model = makeModel(answer.trace);
    run.warnings = answer.warnings;
    return run.model;
  }

  /** Shows a run at a row, or at the first mark of this kind; and then finds what its violations needed. */
  async show(page, run, row, mark) {
    if (run.parent !== null) await this.modelOf(run.parent, page.makeModel);
    await this.modelOf(run, page.makeModel);
    const shown = page.showRuns(run, row, mark);
    if (run.scenario !== null && !run.isExplained) await this.explain(run, shown);
    return shown;
  }

  async explain(run, page) {
    const answer = await this.engine.ask({ask: 'run', scenario: scenarioText(run.scenario), why: true});
    run.model.explain(answer.trace.why, answer.outages);
    run.isExplained = true;
    page.current().explained(run.model);
  }

  /** Adds a run and shows it; `said`, once it is there, what there is to say of it. A run that cannot be run is not kept. */
  async make(page, name, parent, scenario, {row = 0, mark, said = () => ''} = {}) {
    const run = this.add(name, parent, scenario);
    try {
      await this.modelOf(run, page.makeModel);
    } catch (error) {
      this.remove(run);
      throw error;
    }
    this.said = [said(run), ...run.warnings].filter((text) => text !== '').join(' · ');
    return this.show(page, run, row, mark);
  }
}

/** Runs a scenario, and shows it beside the run that it was made of, which it has to be the same as before event `since`. */
export function branch(page, name, scenario, since, row = page.row) {
  const {live} = page,
    say = page.say();
  const parent = live.runOf(page.model());
  const said = (run) => {
    const difference = firstDifference(parent.model, run.model);
    if (difference < 0) return say('touch_same');
    return difference < since ? say('touch_before', {n: difference}) : '';
  };
  return live.during(page, name, () => live.make(page, name, parent, scenario, {row, said}));
}

function button(page, id, text, title, act) {
  return el(
    'button',
    {type: 'button', id, title, 'aria-label': title, disabled: page.live.work !== null, onclick: act},
    text,
  );
}

const short = {
  whatif_kill: 'touch_kill',
  whatif_power: 'touch_power',
  whatif_restart: 'touch_restart',
  whatif_pause: 'touch_pause',
  whatif_pause_on: 'touch_pause',
  whatif_resume: 'touch_resume',
  whatif_start: 'touch_start',
  whatif_wipe: 'touch_wipe',
  whatif_partition: 'touch_partition',
  whatif_partition_for: 'touch_partition_for',
  whatif_heal: 'touch_heal',
  whatif_now: 'touch_now',
  whatif_delay: 'touch_delay',
  whatif_drop: 'touch_drop',
  whatif_break: 'touch_break',
  whatif_ask: 'touch_ask',
};

/** The name of a run that has this change at the page's row. */
export function nameOfChange(page, words) {
  return `${words} · ${page.say()('position_of', {n: page.model().first[page.row]})}`;
}

/** What a possibility is, as a sentence. */
export function wordsFor(say, one, ms) {
  const fields = {ms};
  for (const [key, value] of Object.entries(one.words)) fields[key] = clean(value, 60);
  return say(one.key, fields);
}

/** An action of a run by actions on one line. */
function actionWords(model, action) {
  const {do: what, link, from, to, server, timer, ...rest} = action;
  const parts = [what, link, timer];
  if (from !== undefined) parts.push(`${model.name(from)} → ${model.name(to)}`);
  if (server !== undefined) parts.push(model.name(server));
  if (rest.message?.type !== undefined) parts.push(rest.message.type);
  if (rest.ask !== undefined) parts.push(JSON.stringify(rest.ask));
  return clean(parts.filter((part) => part !== undefined).join(' '), 100);
}

/** Everything that can be changed right after a row. */
export function touchPanel(page, model, row) {
  const say = page.say(),
    live = page.live;
  if (!canChange(model)) return section('touch', say('touch'), el('p', {class: 'quiet'}, say('whatif_none')));
  const list = possibilities(model, row);
  const ms = el('input', {
    type: 'number',
    id: 'touch-ms',
    min: 1,
    max: 1000000,
    value: live.ms,
    onchange: (event) => {
      live.ms = Math.min(Math.max(Math.trunc(Number(event.target.value)) || 1, 1), 1000000);
      page.showPanels();
    },
  });
  const does = (one, at) => {
    const words = wordsFor(say, one, live.ms);
    const text = one.key === 'whatif_ask' ? one.words.request : say(short[one.key], {ms: live.ms});
    return button(page, `touch-${at}`, clean(text, 60), words, () =>
      branch(page, nameOfChange(page, words), changedScenario(model, row, one, live.ms, words), one.since),
    );
  };
  const lines = [];
  const chosen = page.lane() < 0 ? null : model.nodes[page.lane()];
  const subjects = [...new Set(list.map((one) => one.of))].sort((a, b) => (b === chosen) - (a === chosen));
  const messages = subjects.filter((of) => of !== null && of.place !== undefined);
  const left = messages.slice(touchedMost);
  for (const of of subjects) {
    if (left.includes(of)) continue;
    const name =
      of === null
        ? say('network')
        : of.place !== undefined
          ? `${clean(say.text(of.said, of.label), 50)} ${clean(model.name(of.from), 30)} → ${clean(model.name(of.to), 30)}`
          : clean(of.name, 60);
    const id = of === null ? 'network' : of.place !== undefined ? `m${of.place}` : `n${of.id}`;
    const own = list.filter((one) => one.of === of);
    lines.push(
      el(
        'li',
        {'data-of': id},
        el('span', {class: 'name'}, el('bdi', {}, name)),
        el(
          'span',
          {class: 'buttons', role: 'group', 'aria-label': name},
          own.map((one, i) =>
            does(one, `${id}-${one.key.replace('whatif_', '')}${one.key === 'whatif_ask' ? `-${i}` : ''}`),
          ),
          of?.kind === 'client' ? anyRequest(page, model, row, of, id) : null,
        ),
      ),
    );
  }
  return section(
    'touch',
    say('touch'),
    el('p', {class: 'quiet'}, say('touch_hint')),
    statusOf(page),
    list.some((one) => one.timed) ? el('p', {class: 'fields'}, el('label', {}, say('whatif_ms'), ' ', ms)) : null,
    nextActions(page, model, row),
    el('ul', {class: 'touch'}, lines),
    left.length > 0 ? el('p', {class: 'quiet'}, say('more', {n: left.length})) : null,
    otherRuns(page, model),
    searchPart(page, model),
  );
}

/** Any other request to a client, in the words of a scenario's step. */
function anyRequest(page, model, row, node, id) {
  const say = page.say(),
    {live} = page;
  const example = JSON.stringify(requestsOf(model, node.id)[0] ?? {write: 7});
  const ask = () => {
    let request = null;
    try {
      request = JSON.parse(input.value);
    } catch {
      // said below
    }
    if (!isObject(request)) {
      live.said = say('touch_no_request', {example});
      live.isBad = true;
      document.getElementById('touch-status')?.replaceWith(statusOf(page));
      return;
    }
    const one = requestTo(model, row, node, request);
    const words = wordsFor(say, one, 0);
    branch(page, nameOfChange(page, words), changedScenario(model, row, one, 0, words), one.since);
  };
  const input = el('input', {
    type: 'text',
    id: `touch-${id}-request`,
    'aria-label': say('touch_request', {name: clean(node.name, 60)}),
    placeholder: example,
    onkeydown: (event) => {
      if (event.key === 'Enter') ask();
    },
  });
  return [
    input,
    button(page, `touch-${id}-any`, say('touch_ask_this'), say('touch_request', {name: clean(node.name, 60)}), ask),
  ];
}

const workOf = (page) => page.say()('touch_works', {what: clean(page.live.work, 120)});

/** How far the work is; the button that stops it stays where it is. */
function showWork(page) {
  const line = document.getElementById('touch-work');
  if (line !== null) line.textContent = workOf(page);
}

function statusOf(page) {
  const {live} = page,
    say = page.say();
  return el(
    'div',
    {id: 'touch-status', role: 'status', class: live.isBad ? 'bad' : 'quiet'},
    live.work !== null
      ? [
          el(
            'button',
            {
              type: 'button',
              id: 'touch-stop',
              onclick: () => {
                live.goesOn = false;
                live.engine.stop(new Error(say('touch_stopped')));
              },
            },
            say('touch_stop'),
          ),
          ' ',
          el('span', {id: 'touch-work'}, workOf(page)),
        ]
      : clean(live.said, 500),
  );
}

/** What could be next, as a search sees it: in a run by actions every action, else what would happen by itself later. */
function nextActions(page, model, row) {
  const say = page.say(),
    {live} = page;
  const runsByActions = Array.isArray(model.scenario.actions);
  const isOpen = live.isNextOpen ?? runsByActions;
  return folding(
    {id: 'touch-could'},
    isOpen,
    (now) => {
      live.isNextOpen = now;
      page.showPanels();
    },
    say('touch_next'),
    isOpen ? nextList(page, model, row) : null,
  );
}

function nextList(page, model, row) {
  const {live} = page;
  const time = model.time(row);
  const key = `${live.runOf(model).id} ${time}`;
  if (live.possible?.key !== key) {
    live.possible = {key, actions: null};
    const asked = live.possible;
    live.engine.ask({ask: 'possible', scenario: scenarioText(scenarioOfRun(model)), time}).then(
      ({actions}) => {
        asked.actions = actions;
        if (live.possible === asked) page.current().showPanels();
      },
      (error) => {
        asked.actions = [];
        live.said = error.message;
        live.isBad = true;
        page.current().showPanels();
      },
    );
  }
  const {actions} = live.possible;
  if (actions === null) return el('p', {class: 'quiet'}, '…');
  // In a timed run a step comes after everything else of its time.
  const later = model.events.findIndex((event) => event.time > time);
  const since = Array.isArray(model.scenario.actions) ? model.first[row] : later < 0 ? model.events.length : later;
  return el(
    'ul',
    {class: 'touch', id: 'touch-next'},
    actions.slice(0, 40).map((action, i) => {
      const words = actionWords(model, action);
      return el(
        'li',
        {},
        button(page, `touch-next-${i}`, words, words, () =>
          branch(
            page,
            nameOfChange(page, words),
            changedScenario(model, row, asPossibility(model, action, time), 0, words),
            since,
          ),
        ),
      );
    }),
  );
}

/** The whole run otherwise: another seed, a planted bug, other rules. */
function otherRuns(page, model) {
  const say = page.say(),
    {live} = page;
  const lists = live.listsOf(model.header.protocol ?? '', () => page.current().showPanels());
  const seed = el('input', {
    type: 'number',
    id: 'touch-seed',
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    value: live.seed,
    placeholder: typeof model.header.seed === 'number' ? String(model.header.seed) : '1',
    oninput: (event) => (live.seed = event.target.value),
  });
  const select = el(
    'select',
    {id: 'touch-planted', 'aria-label': say('touch_planted'), onchange: (event) => (live.planted = event.target.value)},
    el('option', {value: ''}, say('touch_as_is')),
    [
      ['variant', 'variants'],
      ['rule', 'rules'],
      ['mutation', 'mutations'],
    ].map(([kind, of]) =>
      lists === null || lists[of].length === 0
        ? null
        : el(
            'optgroup',
            {label: say(`touch_${of}`)},
            lists[of].map(({name, text}) =>
              el(
                'option',
                {value: `${kind} ${name}`, title: clean(text, 300), selected: live.planted === `${kind} ${name}`},
                clean(name, 60),
              ),
            ),
          ),
    ),
  );
  const scenario = (withSeed) => {
    const made =
      withSeed === null ? scenarioOfRun(model) : scenarioWithSeed(live.rootOf(live.runOf(model)), model, withSeed);
    const space = live.planted.indexOf(' ');
    const kind = live.planted.slice(0, space),
      name = live.planted.slice(space + 1);
    if (kind === 'variant') made.variant = name;
    if (kind === 'mutation') made.mutations = [...new Set([...(made.mutations ?? []), name])];
    if (kind === 'rule') {
      const [rule, value] = name.split('=');
      made.rules = {...(made.rules ?? {}), [rule]: value};
    }
    return made;
  };
  const title = (withSeed) =>
    [withSeed === null ? '' : say('seed', {seed: withSeed}), live.planted.replace(/^\w+ /, '')]
      .filter((word) => word !== '')
      .join(' · ');
  const chosenSeed = () => {
    const value = Math.trunc(Number(live.seed));
    return live.seed.trim() === '' || !Number.isSafeInteger(value) || value < 0 ? null : value;
  };
  return folding(
    {id: 'touch-other'},
    live.otherOpen === true,
    (now) => (live.otherOpen = now),
    say('touch_other'),
    el('p', {class: 'fields'}, el('label', {}, say('touch_seed'), ' ', seed), ' ', select),
    el(
      'div',
      {class: 'buttons'},
      button(page, 'touch-run', say('touch_run'), say('touch_run_title'), () => {
        const withSeed = chosenSeed();
        if (withSeed === null && live.planted === '') return seed.focus();
        return branch(page, title(withSeed), scenario(withSeed), 0, 0);
      }),
      button(page, 'touch-search', say('touch_search'), say('touch_search_title'), () =>
        searchSeeds(page, scenario(chosenSeed() ?? 1), title(null)),
      ),
    ),
  );
}

/** The servers and clients of the run from their beginning, as a model that is searched here. */
function searchPart(page, model) {
  const say = page.say(),
    {live} = page;
  const run = live.runOf(model);
  const text = el('textarea', {
    id: 'model',
    rows: 10,
    spellcheck: 'false',
    'aria-label': say('search_model'),
    oninput: (event) => live.models.set(run, event.target.value),
  });
  text.value = live.models.get(run) ?? '';
  const changed = (now) => {
    live.searchOpen = now;
    if (!live.searchOpen || text.value !== '') return;
    live.engine.ask({ask: 'model', scenario: scenarioText(scenarioOfRun(model))}).then(
      (answer) => {
        const written = scenarioText(answer.model);
        live.models.set(run, written);
        if (text.value === '') text.value = written;
      },
      (error) => {
        live.said = error.message;
        live.isBad = true;
        page.current().showPanels();
      },
    );
  };
  return folding(
    {id: 'touch-model'},
    live.searchOpen === true,
    changed,
    say('search_title'),
    el('p', {class: 'quiet'}, say('search_hint_model', {n: statesMost})),
    text,
    el(
      'div',
      {class: 'buttons'},
      button(page, 'model-search', say('search_start'), say('search_title'), () => searchModel(page, text.value)),
    ),
  );
}

/** Searches a model; a violation is shown as a run. */
function searchModel(page, model) {
  const live = page.live,
    say = page.say();
  const told = ({distinct, depth}) => {
    live.work = say('search_so_far', {n: distinct, depth});
    showWork(page);
  };
  return live.during(page, say('search_so_far', {n: 0, depth: 0}), async () => {
    const answer = await live.engine.ask({ask: 'check', model, states: statesMost}, told, searchMs);
    live.engine.stop(); // the search had much memory
    const fields = {n: answer.distinct, depth: answer.depth, name: answer.violated};
    const said = say(`search_${answer.verdict}`, fields);
    live.said = said;
    if (answer.verdict !== 'violated' || answer.found === undefined) return;
    const name = `${answer.violated} · ${say('search_found')}`;
    await live.make(page, name, null, answer.found, {mark: 'violated', said: () => said});
  });
}

/** The run's scenario with its choices left to a seed; those that the scenario had before anything was changed remain. */
function scenarioWithSeed(root, model, seed) {
  const scenario = {...scenarioOfRun(model), seed};
  const {choices} = root.model.scenario;
  if (choices === undefined) delete scenario.choices;
  else scenario.choices = choices;
  return scenario;
}

/** Runs one seed after another until something is violated. */
function searchSeeds(page, scenario, name) {
  const live = page.live,
    say = page.say();
  live.goesOn = true;
  return live.during(page, say('touch_seeds', {n: 0}), async () => {
    const text = scenarioText(scenario);
    let from = scenario.seed;
    while (live.goesOn) {
      const answer = await live.engine.ask({ask: 'seeds', scenario: text, from, count: seedsAtOnce});
      from = answer.next;
      if (answer.found !== undefined) {
        const found = `${say('seed', {seed: answer.seed})} · ${name || answer.what}`;
        const told = {mark: 'violated', said: () => answer.text};
        return live.make(page, found, live.runOf(page.model()), answer.found, told);
      }
      live.work = say('touch_seeds', {n: from - scenario.seed});
      showWork(page);
    }
  });
}

/** The runs as a tree, each beside the one that it was made of. */
export function runsPanel(page) {
  const say = page.say(),
    {live} = page;
  const shown = page.models.map((model) => live.runOf(model));
  const line = (run) =>
    el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button',
          id: `run-${run.id}`,
          class: 'run',
          'aria-pressed': shown[shown.length - 1] === run ? 'true' : 'false',
          onclick: () => open(page, run),
        },
        el('bdi', {}, clean(run.name, 120)),
      ),
      run.scenario === null
        ? null
        : el(
            'span',
            {class: 'buttons'},
            button(page, `rename-${run.id}`, say('run_rename'), say('run_rename_title', {name: run.name}), () =>
              rename(page, run),
            ),
            button(page, `save-${run.id}`, say('run_save'), say('run_save_title', {name: run.name}), () =>
              download(`${run.name}.json`, scenarioText(run.scenario), 'application/json'),
            ),
            button(page, `drop-${run.id}`, '×', say('run_drop', {name: run.name}), () => {
              live.remove(run);
              if (shown.some((one) => !live.runs.includes(one))) open(page, run.parent ?? live.runs[0]);
              else page.showPanels();
            }),
          ),
      children(run),
    );
  const children = (run) => {
    const own = live.runs.filter((one) => one.parent === run);
    return own.length === 0 ? null : el('ul', {}, own.map(line));
  };
  return section(
    'runs',
    `${say('runs')} (${live.runs.length})`,
    el('ul', {class: 'runs'}, live.runs.filter((run) => run.parent === null).map(line)),
    el(
      'div',
      {class: 'buttons'},
      button(page, 'save-page', say('save_page'), say('save_page_title'), () =>
        download('zablab.html', page.source(live.saved()), 'text/html'),
      ),
    ),
  );
}

function open(page, run) {
  return page.live.during(page, run.name, () => page.live.show(page, run, page.row));
}

function rename(page, run) {
  const say = page.say();
  const field = el('input', {
    type: 'text',
    id: 'run-name',
    value: run.name,
    maxlength: 120,
    'aria-label': say('run_name'),
  });
  const done = () => {
    const name = field.value.trim();
    if (name !== '') run.name = name;
    page.dialog.close();
    page.renamed();
  };
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    done();
  });
  page.openDialog(
    say('run_rename_title', {name: run.name}),
    el(
      'div',
      {class: 'fields'},
      field,
      ' ',
      el('button', {type: 'button', id: 'run-named', onclick: done}, say('run_rename')),
    ),
  );
  field.select();
}

/** Lets the reader keep a text as a file. */
export function download(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const file = name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '-')
    .replace(/^-+|-+(?=\.|$)/g, '')
    .slice(-80);
  el('a', {href: address, download: file}).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** The runs with which a page was saved. */
export function savedRuns(page) {
  const text = page.getElementById('made')?.textContent.trim() ?? '';
  const saved = text === '' ? [] : JSON.parse(text);
  return Array.isArray(saved) ? saved : [];
}

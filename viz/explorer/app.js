// The page: keys, controls, the address, and what is shown where.

import {clean, el, svg} from './dom.js';
import {engineOf} from './engine.js';
import {comparedOf, exerciseOf, outagesOf, whyOf} from './explanations.js';
import {Ladder} from './ladder.js';
import {branch, download, Live, nameOfChange, runsPanel, savedRuns, touchPanel, wordsFor} from './live.js';
import {firstDifference, Model, ownSettings} from './model.js';
import {flightPanel, invariantsPanel, networkPanel, nodesPanel, stepPanel} from './panels.js';
import {PhraseBook} from './phrases.js';
import {embeddedOutages, embeddedPhrases, embeddedTraces} from './runs.js';
import {Scrubber} from './scrubber.js';
import {line} from './sentences.js';
import {changedScenario, fileName, possibilities, scenarioText} from './whatif.js';
import {languageNames, wordsOf} from './words.js';

let phrases = null; // the Chinese phrase book

class Page {
  /** `live`: what the engine inside the page can do; null: there is none. `previous`: the page that this one replaces. */
  constructor(models, live, previous = null) {
    this.models = models;
    this.live = live;
    this.leaving = new AbortController();
    this.run = 0; // the one that the panels show
    this.row = 0;
    this.chosenLane = -1;
    this.why_ = '';
    this.stateIsOpen = false;
    this.fold = true;
    this.hiddenLanes = models.map(() => new Set());
    this.hiddenKinds = new Set();
    this.unfolded = models.map(() => new Set());
    this.query = '';
    this.onlyMatching = false;
    this.texts = models.map(() => null);
    const asked = new URLSearchParams(location.hash.slice(1)).get('lang') ?? document.documentElement.lang;
    this.language = languageNames.includes(asked) ? asked : 'en';
    this.words = wordsOf(this.language, phrases);
    this.dark =
      document.documentElement.dataset.theme === 'dark' ||
      (document.documentElement.dataset.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
    this.difference = models.length > 1 ? firstDifference(models[0], models[1]) : -1;
    this.ladders = models.map((model, i) => new Ladder(model, `steps-${i}`, this));
    this.scrubber = new Scrubber((row) => this.go(row));
    this.timer = null;
    this.speed = 1; // of playing
    this.covered = false; // what follows the selected step is not shown
    this.addressTimer = undefined;
    if (previous !== null) {
      this.speed = previous.speed;
      this.fold = previous.fold;
      this.hiddenKinds = previous.hiddenKinds;
      this.language = previous.language;
      this.words = previous.words;
      this.dark = previous.dark;
    }
  }

  /** Ends what the page does, before another one takes its place. */
  leave() {
    this.leaving.abort();
    this.observer.disconnect();
    clearTimeout(this.addressTimer);
    if (this.timer !== null) this.play();
  }
  current() {
    return currentPage;
  }
  makeModel(trace) {
    return new Model(trace);
  }
  /** Shows a run beside the one that it was made of, from where they part. */
  showRuns(run, row, mark = null) {
    const roots = this.live.runs.filter((one) => one.parent === null && one.scenario === null);
    const models = (run.parent !== null ? [run.parent, run] : run.scenario === null ? roots : [run]).map(
      (one) => one.model,
    );
    this.leave();
    return begin(models, this.live, this, (page) => {
      page.run = models.indexOf(run.model);
      if (run.model.marks.some((one) => one.kind === mark)) page.jump(mark, 1);
      else if (models.length > 1 && page.difference >= 0 && run.parent !== null) page.goToDifference();
      else page.go(row);
    });
  }
  /** A run has another name. */
  renamed() {
    this.show();
  }
  /** The page as a file with these runs in it. */
  source(runs) {
    const text = JSON.stringify(runs).replaceAll('<', '\\u003c');
    return source.replace(
      /(<script type="application\/json" id="made">)[^<]*(<\/script>)/,
      (_, before, after) => before + text + after,
    );
  }

  say() {
    return this.words;
  }
  model() {
    return this.models[this.run];
  }
  lane() {
    return this.chosenLane;
  }
  whyMode() {
    return this.why_;
  }
  stateOpen() {
    return this.stateIsOpen;
  }
  foldsHeartbeats() {
    return this.fold;
  }
  showsLane(model, lane) {
    return !this.hiddenLanes[this.models.indexOf(model)].has(lane);
  }

  /** Whether what is hidden from this row on is covered. */
  covers(model, row) {
    return this.isCovered(this.models.indexOf(model), row);
  }

  // ---- building

  /** `start` goes to the first step that is shown; by default that of the address. */
  build(start = () => this.readAddress() || this.go(0)) {
    const button = (id, text, act, extra) => el('button', {type: 'button', id, onclick: act, ...extra}, text);
    const icon = (path) =>
      svg(
        'svg',
        {viewBox: '0 0 16 16', width: 14, height: 14, 'aria-hidden': 'true'},
        svg('path', {d: path, fill: 'currentColor'}),
      );
    this.controls = {
      first: button('first', icon('M2 3h2v10H2zM14 3v10L5 8z'), () => this.go(0)),
      back: button('back', icon('M12 3v10L3 8z'), () => this.step(-1)),
      play: button('play', '', () => this.play()),
      speed: button('speed', '', () => this.setSpeed(this.speed === 4 ? 0.5 : this.speed * 2)),
      next: button('next', icon('M4 3v10l9-5z'), () => this.step(1)),
      last: button('last', icon('M12 3h2v10h-2zM2 3v10l9-5z'), () => this.go(this.model().rows - 1)),
      election: button('election', '', () => this.jump('elected', 1)),
      violation: button('violation', '', () => this.jump('violated', 1)),
      cover: button('cover', '', () => this.setCovered(!this.covered)),
      present: button('present', '', () => this.setPresented(!this.isPresented())),
      difference: this.models.length > 1 ? button('difference', '', () => this.goToDifference()) : null,
      filter: button('filter-button', '', () => this.showFilter(), {'aria-haspopup': 'dialog'}),
      help: button('help-button', '', () => this.showHelp(), {'aria-haspopup': 'dialog'}),
      theme: button('theme', '', () => this.setTheme(!this.dark)),
      language: button('language', '', () => this.nextLanguage()),
    };
    this.search = el('input', {
      type: 'search',
      id: 'search',
      autocomplete: 'off',
      spellcheck: 'false',
      oninput: () => this.onSearch(),
      onkeydown: (event) => this.onSearchKey(event),
    });
    this.found = el('span', {id: 'found', role: 'status'});
    this.position = el('output', {id: 'position'});
    this.spoken = el('div', {class: 'unseen', 'aria-live': 'polite', id: 'live'});
    this.title = el('h1', {}, '');
    this.subtitle = el('p', {class: 'subtitle'});
    this.about = el('p', {class: 'about'});
    this.answer = el('p', {class: 'answer'});
    this.exercise = el('div', {class: 'exercise', role: 'status'});
    this.compared = el('div', {class: 'compared', role: 'status'});
    this.whys = el('div', {class: 'whys'});
    this.panels = el('div', {class: 'panels', id: 'panels'});
    this.notes = el('p', {class: 'order-note'});
    this.dialog = el('dialog', {id: 'dialog', onclick: (event) => event.target === this.dialog && this.dialog.close()});
    const c = this.controls;
    document.body.replaceChildren(
      el(
        'header',
        {},
        el(
          'div',
          {class: 'top'},
          el(
            'div',
            {class: 'titles'},
            this.title,
            this.about,
            this.answer,
            this.exercise,
            this.compared,
            this.whys,
            this.subtitle,
          ),
          el(
            'div',
            {class: 'tools'},
            el('div', {class: 'searching', role: 'search'}, this.search, this.found),
            c.filter,
            c.help,
            c.theme,
            c.language,
          ),
        ),
        el(
          'div',
          {class: 'transport', role: 'toolbar'},
          el('div', {class: 'group'}, c.first, c.back, c.play, c.speed, c.next, c.last),
          el('div', {class: 'group'}, c.election, c.violation, c.difference),
          el('div', {class: 'group'}, c.cover, c.present),
          this.scrubber.element,
          this.position,
        ),
      ),
      el(
        'main',
        {class: this.models.length > 1 ? 'two' : ''},
        el(
          'div',
          {class: 'ladders'},
          el(
            'div',
            {class: 'side-by-side'},
            this.ladders.map((ladder, i) => this.ladderFrame(ladder, i)),
          ),
          this.notes,
        ),
        this.panels,
      ),
      this.spoken,
      this.dialog,
    );
    document.body.append(
      svg(
        'svg',
        {class: 'unseen', 'aria-hidden': 'true', width: 0, height: 0},
        svg(
          'defs',
          {},
          svg(
            'marker',
            {
              id: 'head',
              viewBox: '0 0 10 10',
              refX: 8,
              refY: 5,
              markerWidth: 9,
              markerHeight: 9,
              markerUnits: 'userSpaceOnUse',
              orient: 'auto',
            },
            svg('path', {d: 'M0,1.2L10,5L0,8.8z', fill: 'context-stroke'}),
          ),
        ),
      ),
    );
    this.setTheme(this.dark, true);
    this.setLanguage(this.language, true);
    this.refilter();
    const {signal} = this.leaving;
    addEventListener('keydown', (event) => this.onKey(event), {signal});
    addEventListener('hashchange', () => this.readAddress(), {signal});
    addEventListener('popstate', () => this.readAddress(), {signal});
    const sizeNow = () => document.body.clientWidth + this.ladders[0].scroller.clientHeight * 7919;
    let size = sizeNow(); // for which the ladders have just been arranged
    this.observer = new ResizeObserver(() => {
      if (size === sizeNow()) return;
      size = sizeNow();
      this.ladders.forEach((ladder) => ladder.arrange());
      this.ladders[this.run].reveal(this.row);
      this.scrubber.draw();
    });
    this.observer.observe(this.ladders[0].element);
    addEventListener('beforeprint', () => this.ladders.forEach((ladder) => ladder.draw()), {signal});
    if (this.ladders.length > 1) {
      let follower = -1; // it scrolls because the other one does, perhaps not as far
      for (const [i, ladder] of this.ladders.entries())
        ladder.onAligned = (top) => {
          const follows = follower === i;
          follower = -1;
          if (follows) return;
          const other = this.ladders[1 - i].scroller,
            before = other.scrollTop;
          if (Math.abs(before - top) > 1) other.scrollTop = top;
          if (other.scrollTop !== before) follower = 1 - i;
        };
    }
    this.ladders.forEach((ladder) => (ladder.isReady = true));
    start(this);
  }

  ladderFrame(ladder, i) {
    if (this.models.length === 1) return ladder.element;
    ladder.caption = el('button', {type: 'button', class: 'run-name', onclick: () => this.switchRun(i)});
    ladder.element.prepend(ladder.caption);
    return ladder.element;
  }

  setLanguage(language, first) {
    this.language = language;
    this.words = wordsOf(language, phrases);
    const say = this.words,
      c = this.controls;
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : language;
    const label = (control, text, title) => {
      if (control === null) return;
      if (text !== null) control.replaceChildren(text);
      control.title = title;
      if (text === null) control.setAttribute('aria-label', title);
    };
    for (const key of ['first', 'back', 'next', 'last']) label(c[key], null, say(key));
    c.back.title = say('back') + ' (←)';
    c.next.title = say('next') + ' (→)';
    label(c.election, '▲ ' + say('election'), say('election_title'));
    label(c.violation, '! ' + say('violation'), say('violation_title'));
    label(c.difference, '≠ ' + say('difference'), say('difference_title'));
    label(c.filter, say('filter'), say('filter_title'));
    label(c.help, say('help'), say('help_title'));
    label(c.language, say('language'), say('language_title'));
    c.language.lang = language === 'en' ? 'zh-CN' : 'en';
    this.search.placeholder = say('search_hint');
    this.search.setAttribute('aria-label', say('search'));
    this.notes.replaceChildren(
      el('span', {}, '▲ ' + say('legend_election')),
      el('span', {}, '✕ ' + say('legend_crash')),
      el('span', {class: 'cut-text'}, '▬ ' + say('legend_cut')),
      el('span', {class: 'bad'}, '! ' + say('legend_violation')),
      say('order_note'),
    );
    this.ladders.forEach((ladder, i) =>
      ladder.scroller.setAttribute(
        'aria-label',
        say(this.models.length === 1 ? 'ladder' : i === 0 ? 'ladder_a' : 'ladder_b'),
      ),
    );
    label(c.cover, say('cover'), say('cover_title'));
    label(c.present, say('present'), say('present_title'));
    this.showTitle();
    this.showPressed();
    this.setSpeed(this.speed);
    this.setTheme(this.dark, true);
    this.showPlay();
    this.texts = this.models.map(() => null);
    if (first) return;
    this.ladders.forEach((ladder) => ladder.arrange());
    this.show();
  }
  /** What the run is that the panels show. */
  showTitle() {
    const model = (this.titled = this.model()),
      header = model.header,
      say = this.words;
    const own = model.textsIn(say.language);
    const title = clean(own.name ?? model.title, 200) || 'zablab';
    this.title.replaceChildren(el('bdi', {lang: own.name === undefined ? 'en' : false}, title));
    document.title = title;
    const about = clean(own.about ?? model.scenario?.about ?? '', 2000);
    this.about.replaceChildren(el('bdi', {lang: own.about === undefined ? 'en' : false}, about));
    this.about.title = about; // at most two lines are shown
    this.answer.replaceChildren(
      ...model.answer.slice(0, 6).map((one, i) => {
        const translated = say.said(one.said, one.text);
        const text = clean(translated ?? one.text, 300);
        return el('bdi', {lang: translated === null ? 'en' : false}, (i > 0 ? ' · ' : '') + text);
      }),
    );
    this.answer.title = this.answer.textContent;
    this.exercise.replaceChildren(...exerciseOf(this, model));
    this.compared.replaceChildren(...(this.models.length > 1 ? comparedOf(this) : []));
    this.whys.replaceChildren(
      ...model.whys.map((why) => whyOf(this, model, why)),
      ...(model.outages.length > 0 ? [outagesOf(this, model)] : []),
    );
    const list = (value) => (Array.isArray(value) ? value.map((one) => clean(one, 80)).join(', ') : '');
    this.subtitle.replaceChildren(
      ...[
        clean(header.protocol ?? '', 60),
        clean(header.variant ?? '', 60),
        list(header.rules),
        list(header.mutations),
        typeof header.seed === 'number' ? say('seed', {seed: header.seed}) : '',
      ]
        .filter((text) => text !== '')
        .map((text) => el('span', {}, el('bdi', {}, text))),
    );
  }
  nextLanguage() {
    this.setLanguage(languageNames[(languageNames.indexOf(this.language) + 1) % languageNames.length]);
  }

  setTheme(dark, quietly) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    this.controls.theme.replaceChildren(this.words(dark ? 'theme_light' : 'theme'));
    this.controls.theme.title = this.words('theme_title');
    if (!quietly) this.scrubber.draw();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.controls.speed.replaceChildren(`${speed}×`);
    this.controls.speed.title = this.words('speed_title');
    this.controls.speed.setAttribute('aria-label', `${this.words('speed_title')}: ${speed}×`);
    if (this.timer === null) return;
    this.play();
    this.play();
  }
  /** Covers what follows the selected step, and everything that would tell it: the class decides first. */
  setCovered(on) {
    this.covered = on;
    this.showPressed();
    this.refilter();
    this.show();
  }
  /** The ladder and one panel, in letters that are read from the last row of a room. */
  setPresented(on) {
    document.documentElement.toggleAttribute('data-presented', on);
    this.showPressed();
    this.ladders.forEach((ladder) => ladder.arrange());
    this.show();
  }
  isPresented() {
    return document.documentElement.hasAttribute('data-presented');
  }
  showPressed() {
    document.documentElement.toggleAttribute('data-covered', this.covered);
    this.controls.cover.setAttribute('aria-pressed', this.covered ? 'true' : 'false');
    this.controls.present.setAttribute('aria-pressed', this.isPresented() ? 'true' : 'false');
  }
  isCovered(run, row) {
    if (!this.covered) return false;
    return run === this.run ? row > this.row : this.models[run].time(row) > this.model().time(this.row);
  }

  // ---- what is shown

  matches(run, row) {
    const texts = this.texts[run] ?? (this.texts[run] = new Array(this.models[run].rows));
    if (texts[row] === undefined) {
      const model = this.models[run];
      let text = line(model, row, this.words);
      for (let i = model.first[row]; i < model.end(row); ++i)
        text += ` ${model.events[i].kind} ${model.events[i].data.label ?? ''}`;
      texts[row] = `#${model.first[row]} ${text}`.slice(0, 1000).toLowerCase();
    }
    return texts[row].includes(this.query);
  }

  isHidden(run, row) {
    const model = this.models[run];
    if (model.brokenAt.has(row) && !this.hiddenLanes[run].has(model.lane[row])) return false;
    const lane = model.lane[row];
    if (lane >= 0 && this.hiddenLanes[run].has(lane)) return true;
    if (this.hiddenKinds.size > 0) {
      let any = false;
      for (let i = model.first[row]; i < model.end(row) && !any; ++i) any = !this.hiddenKinds.has(model.events[i].kind);
      if (!any) return true;
    }
    if (this.onlyMatching && this.query !== '' && !this.matches(run, row)) return true;
    if (!this.fold || model.heartbeats.size === 0) return false;
    // A row is only heartbeats if it says nothing and all of its messages, at least one, are heartbeats.
    let beats = 0;
    for (let i = model.first[row]; i < model.end(row); ++i) {
      const event = model.events[i];
      if (typeof event.text === 'string' && event.text !== '') return false;
      if (model.messageOf[i] >= 0) {
        if (!model.isHeartbeat(model.messages[model.messageOf[i]])) return false;
        ++beats;
      } else if (event.kind !== 'timer') {
        return false;
      }
    }
    return beats > 0;
  }

  refilter() {
    this.models.forEach((model, run) => {
      const items = [];
      for (let row = 0; row < model.rows; ++row) {
        if (this.isCovered(run, row) || (!this.unfolded[run].has(row) && this.isHidden(run, row))) {
          const last = items[items.length - 1];
          if (Array.isArray(last)) last[1] = row + 1;
          else items.push([row, row + 1]);
        } else {
          items.push(row);
        }
      }
      const shown = model.nodes.map((node) => node.lane).filter((lane) => !this.hiddenLanes[run].has(lane));
      this.ladders[run].setItems(items, shown);
    });
    this.controls.filter.classList.toggle(
      'on',
      this.hiddenLanes.some((set) => set.size > 0) || this.hiddenKinds.size > 0 || this.onlyMatching,
    );
  }

  onUnfold(ladder, [from, to]) {
    const run = this.ladders.indexOf(ladder);
    if (this.isCovered(run, from)) return this.step(1);
    for (let row = from; row < to; ++row) this.unfolded[run].add(row);
    this.refilter();
    this.run = run;
    this.go(from);
  }

  onLane(lane) {
    this.chosenLane = this.chosenLane === lane ? -1 : lane;
    this.ladders.forEach((ladder) => {
      ladder.lane = this.chosenLane;
      ladder.drawHead();
    });
    this.showPanels();
    this.writeAddress(false);
  }
  onState(open) {
    if (open === this.stateIsOpen) return;
    this.stateIsOpen = open;
    this.showPanels();
    document.querySelector('#nodes details.state summary')?.focus();
  }
  onSelect(ladder, row) {
    this.run = this.ladders.indexOf(ladder);
    this.go(row, true);
  }

  /** Goes to a row; `jump` makes an entry that the browser's back button returns from. */
  go(row, jump = false) {
    const model = this.model();
    if (model.rows === 0) return this.show();
    this.row = Math.min(Math.max(Math.trunc(row) || 0, 0), model.rows - 1);
    if (this.covered) this.refilter();
    this.show();
    this.writeAddress(jump);
  }
  goToEvent(event) {
    const model = this.model();
    const row = model.rowOfEvent(event);
    this.makeVisible(row);
    this.go(row, true);
  }
  makeVisible(row) {
    if (this.ladders[this.run].isShown(row) || this.model().rows === 0) return;
    this.unfolded[this.run].add(row);
    this.refilter();
  }
  step(by) {
    const ladder = this.ladders[this.run];
    if (this.model().rows === 0) return;
    const next = this.covered && by > 0 ? this.uncovered() : ladder.neighbour(this.row, by);
    if ((next - this.row) * by > 0) this.go(next);
  }
  /** The next step that would be shown if nothing were covered. */
  uncovered() {
    let row = this.row + 1;
    while (row < this.model().rows && !this.unfolded[this.run].has(row) && this.isHidden(this.run, row)) ++row;
    return Math.min(row, this.model().rows - 1);
  }
  stepSameNode(by) {
    const model = this.model();
    const lane = this.chosenLane >= 0 ? this.chosenLane : model.lane[this.row];
    for (let row = this.row + by; row >= 0 && row < model.rows; row += by) {
      if (model.lane[row] === lane && this.ladders[this.run].isShown(row)) return this.go(row);
    }
  }
  jump(kind, by) {
    const model = this.model();
    const rows = model.marks.filter((mark) => mark.kind === kind).map((mark) => mark.row);
    const ordered = by > 0 ? rows : rows.reverse();
    const next = ordered.find((row) => (row - this.row) * by > 0) ?? ordered[0];
    if (next === undefined) return this.tell(this.words(kind === 'violated' ? 'no_violation' : 'no_election'));
    this.makeVisible(next);
    this.go(next, true);
  }
  goToDifference() {
    if (this.difference < 0) return this.tell(this.words('compare_same'));
    const row = this.model().rowOfEvent(this.difference);
    this.makeVisible(row);
    this.go(row, true);
  }
  switchRun(run) {
    if (run >= this.models.length) return;
    // The same place of the ladder in the other run.
    const place = this.ladders[this.run].place[this.row] ?? 0;
    this.run = run;
    const items = this.ladders[run].items;
    const item = items[Math.min(place, items.length - 1)];
    this.scrubber.show(this.model(), this.words);
    this.go(Array.isArray(item) ? item[0] : (item ?? 0), true);
  }
  tell(text) {
    this.found.textContent = text;
  }

  play() {
    if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      this.timer = setInterval(() => {
        const before = this.row;
        this.step(1);
        if (this.row === before) this.play();
      }, 450 / this.speed);
    }
    this.showPlay();
  }
  showPlay() {
    const c = this.controls.play,
      text = this.words(this.timer === null ? 'play' : 'pause');
    c.replaceChildren(
      svg(
        'svg',
        {viewBox: '0 0 16 16', width: 14, height: 14, 'aria-hidden': 'true'},
        svg('path', {d: this.timer === null ? 'M3 2l11 6-11 6z' : 'M3 2h4v12H3zM9 2h4v12H9z', fill: 'currentColor'}),
      ),
      ' ' + text,
    );
    c.title = text + ' (Space)';
  }

  /** What `w` keeps bright, in turn: what violations needed if there are any, the chain of causes, everything that could have caused a step. */
  whyModes() {
    return this.model().whys.length > 0 ? ['', 'story', 'chain', 'past'] : ['', 'chain', 'past'];
  }
  why() {
    const modes = this.whyModes();
    this.why_ = modes[(modes.indexOf(this.why_) + 1) % modes.length];
    this.show();
  }
  whyText() {
    const past = this.ladders[this.run].past;
    const count = past === null ? 0 : past.reduce((sum, one) => sum + one, 0);
    return this.words('why_' + this.why_, {n: count});
  }

  /** Null: all of them. */
  brightRows(model, row) {
    if (this.why_ === 'story') return model.whyRows();
    if (this.why_ === 'chain') return model.chainOf(row);
    return this.why_ === 'past' ? model.pastOf(row) : null;
  }

  show() {
    const model = this.model(),
      row = this.row;
    if (model.rows === 0) {
      this.panels.replaceChildren(el('p', {class: 'quiet'}, this.words('not_known')));
      return;
    }
    this.ladders.forEach((ladder, i) => {
      const active = i === this.run;
      // In the other run the row that is beside it.
      const item = ladder.items[Math.min(this.ladders[this.run].place[row], ladder.items.length - 1)];
      ladder.select(active ? row : Array.isArray(item) ? item[0] : (item ?? 0));
      ladder.past = active ? this.brightRows(model, row) : null;
      ladder.element.classList.toggle('inactive', !active);
      if (active) ladder.reveal(row);
      ladder.draw();
      if (ladder.caption !== undefined) {
        ladder.caption.setAttribute('aria-pressed', active ? 'true' : 'false');
        ladder.caption.replaceChildren(
          el('b', {}, this.words(i === 0 ? 'compare_a' : 'compare_b')),
          ' ',
          el('bdi', {}, clean(this.live?.runOf(ladder.model)?.name ?? ladder.model.title, 90)),
          this.settingsOf(i) ?? '',
          el(
            'small',
            {},
            ' ' + (this.difference < 0 ? this.words('compare_same') : this.words('compare_at', {n: this.difference})),
          ),
        );
      }
    });
    if (this.titled !== model) this.showTitle();
    this.showPanels();
    const last = model.events.length - 1;
    const text = this.words('position', {
      event: model.first[row],
      last,
      time: model.time(row),
      step: row + 1,
      steps: model.rows,
    });
    this.position.textContent = text;
    this.scrubber.set(row, text);
    if (this.scrubber.model !== model) this.scrubber.show(model, this.words);
    this.scrubber.set(row, text);
    this.spoken.textContent = `${model.first[row]}, ${model.time(row)} ms: ${line(model, row, this.words)}`;
  }

  /** Of two runs, with what this one ran and the other did not. */
  settingsOf(run) {
    const {settings, seed} = ownSettings(this.models[run], this.models[1 - run]);
    const texts = settings.map((text) => clean(text, 60));
    if (typeof seed === 'number') texts.push(this.words('seed', {seed}));
    return texts.length === 0 ? null : el('span', {class: 'differs'}, ' ', el('bdi', {}, texts.join(', ')));
  }

  showPanels() {
    const model = this.model();
    if (model.rows === 0) return;
    const focused = document.activeElement;
    const focusId = focused !== null && this.panels.contains(focused) ? focused.id : '';
    this.panels.replaceChildren(
      ...[
        stepPanel(this, model, this.row),
        nodesPanel(this, model, this.row),
        this.live === null ? null : runsPanel(this),
        this.live === null ? null : touchPanel(this, model, this.row),
        flightPanel(this, model, this.row),
        networkPanel(this, model, this.row),
        invariantsPanel(this, model, this.row),
      ].filter((panel) => panel !== null),
    );
    if (focusId !== '') document.getElementById(focusId)?.focus();
  }

  // ---- the address

  address() {
    const model = this.model();
    const parts = [`step=${model.first[this.row] ?? 0}`];
    if (this.chosenLane >= 0 && this.chosenLane < model.nodes.length) {
      parts.push(`node=${model.nodes[this.chosenLane].id}`);
    }
    if (this.run > 0) parts.push('run=b');
    return '#' + parts.join('&');
  }
  writeAddress(jump) {
    const address = this.address();
    clearTimeout(this.addressTimer);
    const write = () => {
      if (address === location.hash) return;
      if (jump) history.pushState(null, '', address);
      else history.replaceState(null, '', address);
    };
    // Browsers refuse hundreds of changes in a few seconds, which a key that is held down makes.
    if (jump) write();
    else this.addressTimer = setTimeout(write, 150);
  }
  readAddress() {
    clearTimeout(this.addressTimer);
    const fields = new URLSearchParams(location.hash.slice(1));
    const step = fields.get('step');
    if (step === null || !/^\d+$/.test(step) || this.model().rows === 0) return false;
    this.run = fields.get('run') === 'b' && this.models.length > 1 ? 1 : 0;
    const node = fields.get('node');
    const lane = node === null ? -1 : (this.model().laneOf.get(Number(node)) ?? -1);
    if (lane !== this.chosenLane) {
      this.chosenLane = lane;
      this.ladders.forEach((ladder) => {
        ladder.lane = lane;
        ladder.drawHead();
      });
    }
    this.row = this.model().rowOfEvent(Number(step));
    this.makeVisible(this.row);
    this.show();
    return true;
  }
  async copyLink(button) {
    const run = this.live?.runOf(this.model());
    const made = run?.scenario ? `&made=${await this.live.codeOf(run)}` : '';
    await this.copy(location.href.replace(/#.*/, '') + this.address() + made, button);
  }
  /** What a run's violations needed is known now. */
  explained(model) {
    if (this.titled === model) this.showTitle();
    if (this.model() === model) this.showPanels();
  }
  async copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // a page from a file may not use the clipboard directly
      const field = el('textarea', {class: 'unseen', 'aria-hidden': 'true'});
      field.value = text;
      (this.dialog.open ? this.dialog : document.body).append(field);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    const before = button.textContent;
    button.textContent = this.words('copied');
    setTimeout(() => (button.textContent = before), 1200);
  }

  // ---- search

  onSearch() {
    this.query = this.search.value.trim().toLowerCase();
    if (this.onlyMatching) {
      this.refilter();
      this.show();
    }
    if (this.query === '') return this.tell('');
    let count = 0;
    for (let row = 0; row < this.model().rows; ++row) count += this.matches(this.run, row) ? 1 : 0;
    this.tell(this.words(count === 0 ? 'no_match' : 'matches', {n: count}));
  }
  onSearchKey(event) {
    if (event.key === 'Escape') {
      this.search.blur();
      return;
    }
    if (event.key !== 'Enter' || this.query === '') return;
    const rows = this.model().rows,
      by = event.shiftKey ? -1 : 1;
    for (let n = 1; n <= rows; ++n) {
      const row = (((this.row + by * n) % rows) + rows) % rows;
      if (!this.matches(this.run, row)) continue;
      this.makeVisible(row);
      return this.go(row, true);
    }
  }

  // ---- dialogs

  openDialog(title, ...content) {
    this.dialog.setAttribute('aria-labelledby', 'dialog-title');
    this.dialog.replaceChildren(
      el(
        'div',
        {class: 'dialog'},
        el('h2', {id: 'dialog-title'}, title),
        content,
        el(
          'div',
          {class: 'buttons end'},
          el('button', {type: 'button', id: 'close', onclick: () => this.dialog.close()}, this.words('close')),
        ),
      ),
    );
    if (!this.dialog.open) this.dialog.showModal();
  }

  showHelp() {
    const say = this.words;
    const list = (rows, keys) =>
      el(
        'dl',
        {class: 'keys'},
        rows.map(([key, text]) => [
          el('dt', {}, keys ? key.split(' ').map((one) => (one === '…' ? ' … ' : el('kbd', {}, one))) : key),
          el('dd', {}, text),
        ]),
      );
    this.openDialog(
      say('help'),
      el(
        'div',
        {class: 'columns'},
        list(say.list('keys'), true),
        el('div', {}, el('h3', {}, say('signs_title')), list(say.list('signs'), false)),
      ),
    );
  }

  showFilter() {
    const say = this.words,
      model = this.model();
    const counts = new Map();
    for (const event of model.events) counts.set(String(event.kind), (counts.get(String(event.kind)) ?? 0) + 1);
    const check = (text, on, act) =>
      el(
        'label',
        {class: 'check'},
        el('input', {
          type: 'checkbox',
          checked: on,
          onchange: (event) => {
            act(event.target.checked);
            this.refilter();
            this.row =
              this.ladders[this.run].isShown(this.row) || model.rows === 0
                ? this.row
                : this.ladders[this.run].neighbour(this.row, 1);
            this.show();
          },
        }),
        ' ',
        text,
      );
    const keep = (set, value) => (on) => (on ? set.delete(value) : set.add(value));
    this.openDialog(
      say('filter'),
      el(
        'fieldset',
        {},
        el('legend', {}, say('filter_nodes')),
        model.nodes.map((node) =>
          check(
            el('bdi', {}, clean(node.name, 60)),
            !this.hiddenLanes[this.run].has(node.lane),
            keep(this.hiddenLanes[this.run], node.lane),
          ),
        ),
      ),
      el(
        'fieldset',
        {},
        el('legend', {}, say('filter_kinds')),
        [...counts]
          .sort((a, b) => b[1] - a[1])
          .slice(0, 100)
          .map(([kind, count]) =>
            check(
              [el('bdi', {}, clean(kind, 60)), ' ', el('small', {}, count)],
              !this.hiddenKinds.has(kind),
              keep(this.hiddenKinds, kind),
            ),
          ),
      ),
      check(say('filter_fold'), this.fold, (on) => this.setFold(on)),
      check(say('filter_matching'), this.onlyMatching, (on) => (this.onlyMatching = on)),
      el(
        'div',
        {class: 'buttons'},
        el(
          'button',
          {
            type: 'button',
            id: 'show-all',
            onclick: () => {
              this.hiddenLanes.forEach((set) => set.clear());
              this.hiddenKinds.clear();
              this.onlyMatching = false;
              this.fold = false;
              this.refilter();
              this.show();
              this.showFilter();
            },
          },
          say('filter_all'),
        ),
      ),
    );
  }
  setFold(on) {
    this.fold = on;
    this.unfolded.forEach((set) => set.clear());
  }

  whatIf() {
    const say = this.words,
      model = this.model(),
      row = this.row;
    const list = model.rows === 0 ? [] : possibilities(model, row);
    const title = say('whatif_title', {n: model.first[row] ?? 0});
    if (list.length === 0) return this.openDialog(title, el('p', {}, say('whatif_none')));
    const ms = el('input', {type: 'number', id: 'ms', min: 1, max: 1000000, value: 500, oninput: () => show()});
    const text = el('textarea', {
      readonly: true,
      id: 'scenario',
      rows: 12,
      spellcheck: 'false',
      'aria-label': say('whatif_file'),
    });
    const file = fileName(model, row);
    const command = el('code', {id: 'command'}, `zablab run ${file} --text`);
    const select = el('select', {id: 'possibility', 'aria-label': say('whatif_choose'), onchange: () => show()});
    const words = (one) => wordsFor(say, one, ms.value);
    list.forEach((one, i) => select.append(el('option', {value: i}, words(one))));
    const scenario = () => {
      const one = list[Number(select.value)];
      return changedScenario(model, row, one, Math.max(Math.trunc(Number(ms.value)) || 1, 1), words(one));
    };
    const show = () => {
      [...select.options].forEach((option, i) => (option.textContent = words(list[i])));
      ms.disabled = list[Number(select.value)].timed !== true;
      text.value = scenarioText(scenario());
    };
    show();
    this.openDialog(
      title,
      el('p', {class: 'quiet'}, say('whatif_expect')),
      el('div', {class: 'fields'}, select, el('label', {}, say('whatif_ms'), ' ', ms)),
      text,
      el('p', {}, say('whatif_command'), ' ', command),
      el(
        'div',
        {class: 'buttons'},
        this.live === null
          ? null
          : el(
              'button',
              {
                type: 'button',
                id: 'run-it',
                onclick: () => {
                  this.dialog.close();
                  const one = list[Number(select.value)];
                  branch(this, nameOfChange(this, words(one)), scenario(), one.since);
                },
              },
              say('touch_run'),
            ),
        el(
          'button',
          {type: 'button', id: 'save', onclick: () => download(file, text.value, 'application/json')},
          say('download'),
        ),
        el(
          'button',
          {type: 'button', id: 'copy', onclick: (event) => this.copy(text.value, event.currentTarget)},
          say('copy'),
        ),
      ),
    );
  }
  // ---- keys

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || this.dialog.open) return;
    const target = event.target;
    if (
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement
    )
      return;
    const onButton =
      target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement || target?.tagName === 'SUMMARY';
    const inPanel = target instanceof Element && this.panels.contains(target);
    const act = this.actionOf(event.key, onButton, inPanel);
    if (act === null) return;
    event.preventDefault();
    act();
  }
  actionOf(key, onButton, inPanel) {
    switch (key) {
      case 'ArrowRight':
      case 'j':
        return () => this.step(1);
      case 'ArrowLeft':
      case 'k':
        return () => this.step(-1);
      case 'ArrowDown':
        return inPanel ? null : () => this.step(1);
      case 'ArrowUp':
        return inPanel ? null : () => this.step(-1);
      case 'PageDown':
        return inPanel ? null : () => this.stepPage(1);
      case 'PageUp':
        return inPanel ? null : () => this.stepPage(-1);
      case 'J':
        return () => this.stepSameNode(1);
      case 'K':
        return () => this.stepSameNode(-1);
      case 'n':
        return () => this.jump('violated', 1);
      case 'N':
        return () => this.jump('violated', -1);
      case 'e':
        return () => this.jump('elected', 1);
      case 'E':
        return () => this.jump('elected', -1);
      case 'g':
        return this.models.length > 1 ? () => this.goToDifference() : null;
      case 'c':
        return this.models.length > 1 ? () => this.switchRun(1 - this.run) : null;
      case 'Home':
        return inPanel ? null : () => this.go(0, true);
      case 'End':
        return inPanel ? null : () => this.go(this.model().rows - 1, true);
      case ' ':
        return onButton || inPanel ? null : () => this.play();
      case 'Enter':
        return onButton || inPanel ? null : () => this.openFoldBeside();
      case '/':
        return () => {
          this.setPresented(false); // where the field is hidden
          this.search.focus();
        };
      case 'f':
        return () => this.showFilter();
      case 'h':
        return () => {
          this.setFold(!this.fold);
          this.refilter();
          this.makeVisible(this.row);
          this.show();
        };
      case 'd':
        return () => this.setTheme(!this.dark);
      case 'l':
        return () => this.nextLanguage();
      case 'w':
        return () => this.why();
      case 'x':
        return () => this.whatIf();
      case 'p':
        return () => this.setPresented(!this.isPresented());
      case 'o':
        return () => this.setCovered(!this.covered);
      case '+':
      case '-':
        return () => this.setSpeed(Math.min(Math.max(key === '+' ? this.speed * 2 : this.speed / 2, 0.5), 4));
      case 't':
        return this.live === null
          ? null
          : () => {
              this.setPresented(false);
              document.querySelector('#touch ul.touch button')?.focus();
            };
      case '?':
        return () => this.showHelp();
      case 'Escape':
        return this.why_ !== ''
          ? () => {
              this.why_ = '';
              this.show();
            }
          : null;
      default:
        return /^[1-9]$/.test(key) && Number(key) <= this.model().nodes.length
          ? () => this.onLane(Number(key) - 1)
          : null;
    }
  }
  stepPage(by) {
    const ladder = this.ladders[this.run];
    for (let n = 0, row = this.row; n < 15; ++n) {
      const next = ladder.neighbour(row, by);
      if ((next - row) * by <= 0) return this.go(row);
      row = next;
      if (n === 14) this.go(row);
    }
  }
  /** Shows what is folded right after the selected row. */
  openFoldBeside() {
    const ladder = this.ladders[this.run];
    const after = ladder.items[ladder.place[this.row] + 1];
    if (Array.isArray(after)) this.onUnfold(ladder, after);
  }
}

// The page as it was read, to be saved with the runs that are made in it.
const engine = engineOf(document);
const source = engine === null ? '' : `<!DOCTYPE html>\n${document.documentElement.outerHTML}\n`;
let currentPage = null;

function begin(models, live, previous, start) {
  currentPage = new Page(models, live, previous);
  currentPage.build(start);
  document.documentElement.dataset.ready = 'true';
  return currentPage;
}

Promise.all([embeddedTraces(document), embeddedPhrases(document)]).then(async ([traces, book]) => {
  phrases = new PhraseBook(book);
  const outages = embeddedOutages(document);
  const models = traces.map((trace, i) => new Model(trace, outages[i]));
  const live = engine === null ? null : new Live(engine, models);
  live?.read(savedRuns(document));
  const page = begin(models, live);
  await live?.openLinked(page, new URLSearchParams(location.hash.slice(1)).get('made'));
  live?.warmUp();
});

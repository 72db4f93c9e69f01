// The explorer in a real browser: node --test tests/browser, after a build. ZABLAB is the program, CHROMIUM the
// browser.

import assert from 'node:assert/strict';
import {readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'node:test';
import {end, eventOf, folder, open, pageOf, root, traceFile, traceOf, violationsOf, zablab} from './page.mjs';
import {chainOf, statesAfter, underWayAfter} from './trace.mjs';
import {PhraseBook} from '../../viz/explorer/phrases.js';
import {embeddedTraces} from '../../viz/explorer/runs.js';
import {missingWords} from '../../viz/explorer/words.js';

const zh = join(root, 'viz/zh');
const phrases = new PhraseBook(
  Object.assign({}, ...readdirSync(zh).map((file) => JSON.parse(readFileSync(join(zh, file), 'utf8')))),
);
const failover = 'scenarios/recovery/000-C1-leader-dies-with-P3.json';
const runs = {
  failover: [failover],
  violated: [failover, '--mutate', 'retain_db_no_ff'],
  partition: ['scenarios/broadcast/000-H1-a-write-at-the-cut-off-leader.json'],
  other: ['scenarios/leader-followers/004-1-only-the-leader-serves.json'],
  register: ['scenarios/quorum-register/004-Q1-a-read-finds-what-a-later-read-does-not.json'],
  clients: ['scenarios/clients/000-N2-an-ephemeral-node-ends-with-its-session.json'],
  actions: ['scenarios/recovery/an-ack-outlives-its-truncation.json'],
};
const made = {};
let two; // a page of two runs

const tests = [];
const test = (name, body) => tests.push([name, body]);

/** The last event of the row at which the page is. */
async function lastEventOf(tab, trace) {
  await tab.keyboard.press('ArrowRight');
  const next = await eventOf(tab);
  await tab.keyboard.press('ArrowLeft');
  return next === (await eventOf(tab)) ? trace.events.length - 1 : next - 1;
}

/** Goes to the step of an event by the address. */
async function goTo(tab, event) {
  await tab.evaluate(
    (hash) =>
      new Promise((done) => {
        if (location.hash === hash) return done();
        addEventListener('hashchange', () => done(), {once: true});
        location.hash = hash;
      }),
    `#step=${event}`,
  );
  const first = await eventOf(tab);
  assert.ok(first <= event && first > event - 100, `at event ${first}, not ${event}`);
}

/** Opens the whole state of a node, given by its place in the header, and reads it. */
async function stateShown(tab, place) {
  const name = tab.locator('#nodes .node-head').nth(place);
  if ((await name.getAttribute('aria-pressed')) === 'false') await name.click();
  const details = tab.locator('#nodes details.state');
  if ((await details.getAttribute('open')) === null) await details.locator('summary').click();
  await tab.waitForFunction(() => document.getElementById('state-text')?.textContent !== '');
  return JSON.parse(await tab.locator('#state-text').textContent());
}

test('words: both languages have the same', () => assert.deepEqual(missingWords(phrases), []));

test('words: in Chinese the sentences of a trace are Chinese as well', async () => {
  const chinese = /[\u4e00-\u9fff]/;
  for (const name of ['failover', 'violated', 'other', 'register']) {
    const {trace, page} = made[name];
    const {tab, errors, close} = await open(page);
    await tab.keyboard.press('l');
    const look = async () => {
      for (const text of await tab.locator('.row .text bdi:not(.quiet)').allTextContents()) assert.match(text, chinese);
      for (const text of await tab.locator('#step .told bdi').allTextContents()) assert.match(text, chinese);
      assert.equal(await tab.locator('#step bdi[lang=en], #nodes bdi[lang=en]').count(), 0);
    };
    for (let event = 0; event < trace.events.length; event += 29) {
      await goTo(tab, event);
      await look();
    }
    if (trace.header.answer !== undefined) assert.match(await tab.locator('.answer').textContent(), chinese);
    assert.deepEqual(errors, []);
    await close();
  }
  const {tab, close} = await open(made.violated.page);
  await tab.keyboard.press('l');
  const told = made.violated.trace.verdicts.find((verdict) => verdict.verdict === 'violated');
  await goTo(tab, told.event);
  assert.match(phrases.said(told.said), chinese);
  assert.ok((await tab.locator('#step').textContent()).includes(phrases.said(told.said)));
  await tab.keyboard.press('/');
  await tab.keyboard.type('改投');
  assert.match(await tab.locator('#found').textContent(), /^[1-9]\d* 个步骤匹配$/);
  await close();
});

test('words: the page and `zablab explain --lang zh` say the same', async () => {
  for (const {file, trace} of Object.values(made)) {
    const explained = (await zablab('explain', file, '--lang', 'zh')).out.split('\n');
    const words = (line) => line.replace(/^ *\d+ ms +|^ +/, '');
    const said = new Set(trace.events.map((event) => phrases.said(event.said) ?? event.text));
    const answer = (trace.header.answer_said ?? []).map((one) => '  ' + phrases.said(one));
    const result = explained.indexOf('') + 1; // after what the run is
    assert.deepEqual(explained.slice(result, result + answer.length), answer);
    const after = result + answer.length + (answer.length > 0 ? 1 : 0);
    const isOfOutages = /^ {2}从 \d+ ms/.test(explained[after]);
    const events = isOfOutages ? explained.indexOf('', after) + 1 : after;
    const told = explained.slice(events, explained.indexOf('', events));
    assert.ok(told.length > 5);
    for (const line of told) assert.ok(said.has(words(line)), line);
  }
});

for (const name of Object.keys(runs)) {
  test(`${name}: states and messages are what the trace says, without an error or a request`, async () => {
    const {trace, page} = made[name];
    const {tab, requests, errors, address, close} = await open(page);
    assert.equal(await tab.title(), trace.header.title);
    assert.equal(await tab.locator('.about').textContent(), trace.scenario.about ?? '');
    await tab.keyboard.press('h'); // every row
    for (let n = 0; n <= 6; ++n) {
      await goTo(tab, Math.floor((n * (trace.events.length - 1)) / 6));
      const last = await lastEventOf(tab, trace);
      const states = statesAfter(trace, last);
      for (const place of [n % trace.header.nodes.length, (n + 2) % trace.header.nodes.length]) {
        assert.deepEqual(
          await stateShown(tab, place),
          states[trace.header.nodes[place].id] ?? {},
          `after event ${last}`,
        );
      }
      const shown = await tab.locator('#flight tbody td:first-child bdi').allTextContents();
      assert.deepEqual(shown.sort(), underWayAfter(trace, last), `after event ${last}`);
    }
    for (const key of ['h', 'Home']) await tab.keyboard.press(key);
    let last = -1;
    for (let n = 0; n < 40; ++n) {
      const now = await eventOf(tab);
      assert.ok(now >= last);
      last = now;
      await tab.keyboard.press('ArrowRight');
    }
    assert.ok(last > 0);
    for (const key of ['End', 'w', 'w', 'e', 'n', 'l', 'd', 'h', 'Home', '1', '2']) await tab.keyboard.press(key);
    assert.deepEqual(requests, [address]);
    assert.deepEqual(errors, []);
    await close();
  });
}

test('keys: every step forward and back, the same node, elections, first and last', async () => {
  const {trace, page} = made.failover;
  const {tab, close} = await open(page);
  const seen = [];
  await tab.keyboard.press('Home');
  for (let n = 0; n < 20; ++n) {
    seen.push(await eventOf(tab));
    await tab.keyboard.press(n % 2 ? 'j' : 'ArrowRight');
  }
  for (const one of seen.reverse()) {
    await tab.keyboard.press('k');
    assert.equal(await eventOf(tab), one);
  }
  await tab.keyboard.press('End');
  const last = await eventOf(tab);
  assert.ok(last <= trace.events.length - 1 && last > trace.events.length - 40);
  await tab.keyboard.press('Home');
  assert.equal(await eventOf(tab), 0);
  await tab.keyboard.press('e');
  const elected = trace.events.find(
    (event) => event.kind === 'role' && event.data.to === 'LEADING' && event.index > 50,
  );
  const at = await eventOf(tab);
  assert.ok(at <= elected.index && elected.index - at < 5);
  assert.equal(trace.events[at].node, elected.node);
  await tab.keyboard.press('J');
  assert.equal(trace.events[await eventOf(tab)].node, elected.node);
  await tab.keyboard.press('K');
  assert.equal(await eventOf(tab), at);
  await tab.keyboard.press('End');
  await tab.keyboard.press('E'); // the only one: the leader with which the run begins was placed
  assert.equal(await eventOf(tab), at);
  await close();
});

test('elections: marked, and whoever leads has its colour, in every family that elects', async () => {
  const elections = {
    'leader-followers/004-1-only-the-leader-serves': ['quorum'],
    'redis-cluster/001-C1-a-replica-replaces-its-master': ['promoted'],
    'sentinel/001-S2-two-candidates-one-leader': ['elected'],
    'kafka/001-K2-the-controller-dies': ['controller_elected', 'leader_chosen'],
    'external-store/004-10-the-leader-dies': ['elected', 'quorum'],
  };
  for (const [scenario, kinds] of Object.entries(elections)) {
    const {file, trace} = await traceOf(scenario.replaceAll('/', '-'), `scenarios/${scenario}.json`);
    const {tab, errors, close} = await open(await pageOf(file));
    await tab.keyboard.press('Home');
    await tab.keyboard.press('e');
    const at = await eventOf(tab);
    const row = trace.events.slice(at, at + 10).filter((event) => event.node === trace.events[at].node);
    assert.ok(row.some((event) => kinds.includes(event.kind)), `${scenario}: at event ${at}`);
    await tab.keyboard.press('End');
    assert.ok((await tab.locator('.band.tone-leading').count()) > 0, scenario);
    assert.deepEqual(errors, []);
    await close();
  }
});

test('keys: none is taken from fields, dialogs or modifiers', async () => {
  const {tab, close} = await open(made.failover.page, {hash: '#step=121'});
  await tab.keyboard.press('/');
  await tab.keyboard.type('jjk');
  assert.equal(await tab.inputValue('#search'), 'jjk');
  assert.equal(await eventOf(tab), 121);
  await tab.keyboard.press('Escape');
  await tab.keyboard.press('Control+j');
  await tab.keyboard.press('Alt+k');
  assert.equal(await eventOf(tab), 121);
  await tab.keyboard.press('?');
  await tab.keyboard.press('j');
  assert.equal(await eventOf(tab), 121);
  await tab.keyboard.press('Escape');
  assert.equal(await tab.locator('dialog').getAttribute('open'), null);
  await close();
});

test('keys: space plays and pauses', async () => {
  const {tab, close} = await open(made.failover.page, {hash: '#step=121'});
  await tab.keyboard.press(' ');
  await tab.waitForFunction(() => location.hash !== '#step=121', null, {timeout: 10000});
  await tab.keyboard.press(' ');
  const at = await eventOf(tab);
  await tab.waitForTimeout(1000);
  assert.equal(await eventOf(tab), at);
  await close();
});

test('violations: the key goes there, the step and the invariant say so', async () => {
  const {trace, page} = made.violated;
  const broken = trace.verdicts.filter((verdict) => verdict.kind === 'invariant' && verdict.verdict === 'violated');
  assert.ok(broken.length > 0);
  const {tab, close} = await open(page);
  const later = await tab.locator('#invariants .later').allTextContents();
  for (const verdict of broken)
    assert.ok(later.some((text) => text.includes(verdict.name) && text.includes('holds so far')));
  const rows = new Set();
  for (let n = 0; n < 12; ++n) {
    await tab.keyboard.press('n');
    rows.add(await eventOf(tab));
  }
  for (const verdict of broken) {
    await goTo(tab, verdict.event);
    await tab.waitForFunction(
      (name) => [...document.querySelectorAll('#step .bad')].some((one) => one.textContent.includes(name)),
      verdict.name,
    );
    assert.ok(rows.has(await eventOf(tab)) || [...rows].some((row) => row <= verdict.event));
    const now = await tab.locator('#invariants .bad').allTextContents();
    assert.ok(
      now.some(
        (text) => text.includes(verdict.name) && text.includes('violated at this step') && text.includes(verdict.text),
      ),
    );
  }
  await close();
});

test('tree: each server shows its nodes, with data and owners, as they are at the step', async () => {
  const {trace, page} = made.clients;
  const {tab, close} = await open(page);
  const treesAt = async (event) => {
    await goTo(tab, event);
    const lists = await tab.locator('#nodes .tree').all();
    return Promise.all(lists.map((list) => list.locator('li').allTextContents()));
  };
  const created = trace.events.filter((event) => event.kind === 'applied' && event.data.txn.changes.length > 0);
  assert.ok(created.length >= 2);
  for (const event of [created[1].index, trace.events.length - 1]) {
    const trees = await treesAt(event);
    const states = statesAfter(trace, await lastEventOf(tab, trace));
    const servers = trace.header.nodes.filter((node) => node.kind === 'voter');
    assert.equal(trees.length, servers.length);
    servers.forEach((server, i) => {
      const nodes = states[server.id].service.nodes;
      const paths = Object.keys(nodes).filter((path) => !path.startsWith('/zookeeper'));
      assert.equal(trees[i].length, paths.length);
      for (const path of paths.filter((one) => one !== '/')) {
        const line = trees[i].find((text) => text.startsWith(path));
        assert.ok(line, `${path} at ${server.name}`);
        assert.ok(nodes[path].owner === 0 || line.includes(`owner ${nodes[path].owner}`), line);
      }
    });
  }
  await close();
  const nodes = {};
  for (const path of ['/', '/a', '/a-b', '/a/c', '/a/c/d', '/b']) nodes[path] = {data: null, version: 0, owner: 0};
  const other = {...trace, events: [{index: 0, time: 0, node: 1, kind: 'started', data: {}, changes: {service: {nodes}}}]};
  const small = await open(await pageOf(traceFile('tree', {...other, choices: [], verdicts: []})));
  const names = await small.tab.locator('#nodes .tree').first().locator('.path').allTextContents();
  assert.deepEqual(names, ['/', '/a', '/c', '/d', '/a-b', '/b']);
  await small.close();
});

test('scrubber: any step, with marks', async () => {
  const {tab, close} = await open(made.violated.page);
  const range = tab.locator('.scrubber input');
  const last = Number(await range.getAttribute('max'));
  for (const row of [last, 0, Math.floor(last / 2)]) {
    await range.fill(String(row));
    assert.match(await tab.locator('#position').textContent(), new RegExp(`step ${row + 1} of ${last + 1}`));
    assert.match(await range.getAttribute('aria-valuetext'), new RegExp(`step ${row + 1} of ${last + 1}`));
  }
  const inked = await tab.evaluate(() => {
    const canvas = document.querySelector('.scrubber canvas');
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let i = 3; i < pixels.length; i += 4) count += pixels[i] > 0 ? 1 : 0;
    return count;
  });
  assert.ok(inked > 100);
  await range.focus();
  await tab.keyboard.press('ArrowLeft'); // the range's own key: one step, not two
  assert.match(await tab.locator('#position').textContent(), new RegExp(`step ${Math.floor(last / 2)} of`));
  await close();
});

test('address: names the step and the node, and the back button returns', async () => {
  const {trace, page} = made.failover;
  const {tab, close} = await open(page, {hash: '#step=248&node=4'});
  assert.ok((await eventOf(tab)) <= 248);
  assert.equal(await tab.locator('#nodes .node.chosen .node-head strong').textContent(), trace.header.nodes[3].name);
  await tab.keyboard.press('End');
  const there = await eventOf(tab);
  await tab.goBack();
  await tab.waitForFunction((hash) => location.hash !== hash, `#step=${there}&node=4`);
  assert.ok((await eventOf(tab)) <= 248);
  for (const hash of ['#step=99999999', '#step=-3', '#step=x&node=%3Cb%3E', '#step=10&node=77', '#%']) {
    await tab.evaluate((one) => (location.hash = one), hash);
    await tab.keyboard.press('ArrowRight');
    await tab.keyboard.press('ArrowLeft');
  }
  await close();
});

test('why: what is not in the chain of causes is dimmed', async () => {
  const {trace, page} = made.failover;
  const {tab, close} = await open(page, {hash: '#step=330'});
  await tab.keyboard.press('w');
  const at = await eventOf(tab);
  const chain = chainOf(trace, at);
  const said = Number(/\d+/.exec(await tab.locator('#why-note').textContent())[0]);
  assert.ok(said > 1 && said <= chain.length);
  for (const row of await tab.locator('.row:not(.folded)').all()) {
    const first = Number(await row.locator('.event').textContent());
    const dim = ((await row.getAttribute('class')) ?? '').includes('dim');
    if (chain.includes(first)) assert.equal(dim, false, `event ${first} is a cause`);
    if (first > at) assert.equal(dim, true, `event ${first} is later`);
  }
  await tab.keyboard.press('w');
  const all = Number(/\d+/.exec(await tab.locator('#why-note').textContent())[0]);
  assert.ok(all > said);
  await tab.keyboard.press('Escape');
  assert.equal(await tab.locator('.row.dim').count(), 0);
  await close();
});

test('why: what a violation needed leads to its steps, and w keeps them bright', async () => {
  const {tab, errors, close} = await open(made.violated.page);
  const whys = tab.locator('.whys details');
  assert.ok((await whys.count()) >= 1);
  const summary = await whys.first().locator('summary').textContent();
  assert.match(summary, /^Why .* is violated|^Why a write of/);
  await whys.first().locator('summary').click();
  assert.match(await whys.first().textContent(), /retain_db_no_ff/);
  const needed = whys.first().locator('li.needed button');
  assert.ok((await needed.count()) >= 1);
  const told = await needed.first().textContent();
  await needed.first().click();
  const time = /^(\d+) ms/.exec(told)[1];
  assert.ok((await tab.locator('#position').textContent()).includes(`${time} ms`), told);
  await tab.keyboard.press('w');
  assert.match(await tab.locator('#why-note').textContent(), /^Bright: the \d+ steps that the explanation/);
  assert.equal(await tab.locator('.row.current.dim, .row.selected.dim').count(), 0);
  assert.ok((await tab.locator('.row.dim').count()) > 0);
  await tab.keyboard.press('l');
  assert.match(await whys.first().locator('summary').textContent(), /^原因/);
  assert.deepEqual(errors, []);
  await close();
});

for (const [name, step] of [
  ['failover', 245],
  ['violated', 200],
  ['partition', 150],
  ['other', 90],
  ['register', 20],
  ['actions', 60],
]) {
  test(`what if, ${name}: the scenario runs, and is the same up to there`, async () => {
    const {trace, page} = made[name];
    const {tab, close} = await open(page, {hash: `#step=${step}`});
    await tab.keyboard.press('x');
    for (let n = 0; n < 20 && (await tab.locator('#possibility option').count()) === 0; ++n) {
      await tab.keyboard.press('Escape'); // a step of the network or of a client offers nothing
      await tab.keyboard.press('ArrowRight');
      await tab.keyboard.press('x');
    }
    const here = await eventOf(tab);
    const options = await tab.locator('#possibility option').allTextContents();
    assert.ok(options.length > 0, `at event ${here}`);
    for (let i = 0; i < options.length; ++i) {
      await tab.selectOption('#possibility', String(i));
      const file = join(folder, `what-if-${name}.json`);
      writeFileSync(file, await tab.inputValue('#scenario'));
      const again = join(folder, `what-if-${name}.trace.json`);
      const {status, out} = await zablab('run', file, '--trace', again);
      // A drop is only for links without connections, and the page offers it where the trace does not tell.
      assert.ok(status === 0 || status === 1, `${options[i]}: ${out}`);
      const other = JSON.parse(readFileSync(again, 'utf8'));
      // A process that dies within a step does not report what the step changed.
      const told = ({index, time, node, kind, data, cause} = {}) =>
        JSON.stringify({index, time, node, kind, data, cause});
      let same = 0;
      while (same < trace.events.length && told(trace.events[same]) === told(other.events[same])) ++same;
      const from = /kill|power|paused|cut off/.test(options[i]) ? here : 0;
      assert.ok(same >= from, `${options[i]}: the same for ${same} events only`);
      assert.ok(same < other.events.length, `${options[i]}: nothing changed`);
    }
    await close();
  });
}

test('covered: nothing of what follows is shown, and steps uncover it', async () => {
  const {trace, page} = made.failover;
  const {tab, errors, close} = await open(page, {hash: '#step=100'});
  await tab.keyboard.press('o');
  const here = await eventOf(tab);
  assert.equal(await tab.locator('#cover').getAttribute('aria-pressed'), 'true');
  const numbers = async () => (await tab.locator('#steps-0 .row .event').allTextContents()).map(Number);
  assert.equal(Math.max(...(await numbers())), here);
  assert.match(await tab.locator('#steps-0 .row.folded').last().textContent(), /What follows is covered/);
  for (const hidden of ['.answer', '#invariants', '.scrubber canvas'])
    assert.equal(await tab.locator(hidden).isVisible(), false, hidden);
  // A message that arrives later is under way, whatever becomes of it.
  assert.equal(await tab.locator('#steps-0 .drawing .lost').count(), 0);
  await tab.keyboard.press('ArrowRight');
  const next = await eventOf(tab);
  assert.ok(next > here && next <= trace.events.length);
  assert.equal(Math.max(...(await numbers())), next);
  await tab.keyboard.press('o');
  assert.ok(Math.max(...(await numbers())) > next);
  assert.equal(await tab.locator('.answer').isVisible(), true);
  assert.deepEqual(errors, []);
  await close();
});

test('presented: the ladder and this step, in letters of 18 pixels at least', async () => {
  const {tab, errors, close} = await open(made.failover.page, {
    hash: '#step=100',
    viewport: {width: 1024, height: 768},
  });
  await tab.keyboard.press('p');
  const seen = await tab.evaluate(() => {
    const zoom = Number(getComputedStyle(document.body).zoom);
    const inView = (element) => {
      const box = element.getBoundingClientRect();
      return box.width > 0 && box.top >= 0 && box.bottom <= innerHeight;
    };
    const texts = [...document.querySelectorAll('body *')].filter(
      (element) => inView(element) && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()),
    );
    const box = document.querySelector('#steps-0').getBoundingClientRect();
    return {
      smallest: Math.min(...texts.map((element) => parseFloat(getComputedStyle(element).fontSize) * zoom)),
      rows: [...document.querySelectorAll('#steps-0 .row')].filter(
        (row) => row.getBoundingClientRect().top >= box.top && row.getBoundingClientRect().bottom <= box.bottom,
      ).length,
      panels: [...document.querySelectorAll('.panels > *')]
        .filter((panel) => panel.getBoundingClientRect().width > 0)
        .map((panel) => panel.id),
      overflows: document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight,
    };
  });
  assert.ok(seen.smallest >= 18, `${seen.smallest} px`);
  assert.ok(seen.rows >= 7, `${seen.rows} rows`);
  assert.deepEqual(seen.panels, ['step']);
  assert.equal(seen.overflows, false);
  await tab.keyboard.press('+');
  assert.equal(await tab.locator('#speed').textContent(), '2×');
  await tab.keyboard.press('p');
  assert.equal(await tab.locator('#nodes').isVisible(), true);
  assert.deepEqual(errors, []);
  await close();
});

test('times without a leader are told in both languages, each part with its step', async () => {
  const {page, file} = made.failover;
  const told = (await zablab('explain', file)).out.split('\n');
  const toldIn = (await zablab('explain', file, '--lang', 'zh')).out.split('\n');
  const {tab, errors, close} = await open(page);
  const lines = async () =>
    (await tab.locator('#outages p, #outages li').allTextContents()).map((line) => line.replace(/\s+/g, ' ').trim());
  const first = await lines();
  assert.ok(first.length > 1);
  const has = (list, line) => list.some((one) => one.replace(/\s+/g, ' ').trim() === line);
  for (const line of first) assert.ok(has(told, line), line);
  await tab.keyboard.press('l');
  for (const line of await lines()) assert.ok(has(toldIn, line), line);
  await tab.locator('#outages summary').click();
  await tab.locator('#outages li button').last().click();
  assert.ok((await eventOf(tab)) > 0);
  assert.deepEqual(errors, []);
  await close();
});

test('two runs: aligned at the first difference', async () => {
  const {trace, file} = made.failover;
  const other = made.violated;
  let first = 0;
  while (JSON.stringify(trace.events[first]) === JSON.stringify(other.trace.events[first])) ++first;
  const {tab, requests, errors, address, close} = await open(two);
  await tab.keyboard.press('g');
  assert.match(await tab.locator('.run-name').first().textContent(), new RegExp(`event ${first}$`));
  assert.ok((await eventOf(tab)) <= first);
  // The captions say with what the second run differs.
  assert.equal(await tab.locator('.run-name .differs').count(), 1);
  assert.match(await tab.locator('.run-name').last().textContent(), new RegExp(other.trace.header.mutations[0]));
  const tops = await tab.evaluate(() => [...document.querySelectorAll('.scroller')].map((one) => one.scrollTop));
  assert.ok(Math.abs(tops[0] - tops[1]) <= 1);
  const row = await tab.locator('#steps-0 .row.selected .event').textContent();
  assert.equal(await tab.locator('#steps-1 .row.selected .event').textContent(), row);
  await tab.keyboard.press('c');
  assert.match(await tab.evaluate(() => location.hash), /run=b/);
  assert.ok(!(await tab.locator('.run-name').allTextContents()).join().includes('null'));
  const broken = other.trace.verdicts.find((verdict) => verdict.verdict === 'violated').name;
  const differing = await tab.locator('.compared p').allTextContents();
  assert.ok(differing.some((text) => new RegExp(`^${broken} A: [a-z ]+, B: violated$`).test(text)), differing.join());
  // The selected step remains in view, whichever run is longer.
  for (const run of [1, 0]) {
    await tab.keyboard.press('End');
    await tab.waitForFunction((i) => {
      const frame = document.querySelectorAll('.scroller')[i].getBoundingClientRect();
      const row = document.querySelector(`#steps-${i} .row.selected`)?.getBoundingClientRect();
      return row !== undefined && row.top >= frame.top && row.bottom <= frame.bottom + 1;
    }, run);
    await tab.keyboard.press('c');
  }
  assert.deepEqual(requests, [address]);
  assert.deepEqual(errors, []);
  await close();
  const refused = await zablab('render', file, '--with', other.file, '-o', join(folder, 'two.shiviz'));
  assert.equal(refused.status, 2);
});

test('filter: lanes and kinds that are switched off fold into a row that says how many', async () => {
  const {tab, close} = await open(made.failover.page, {hash: '#step=245'});
  const lanes = await tab.locator('.lane-name').count();
  await tab.keyboard.press('f');
  await tab.locator('fieldset').first().locator('input').first().uncheck();
  assert.equal(await tab.locator('.lane-name').count(), lanes - 1);
  await tab.locator('fieldset').nth(1).locator('label', {hasText: 'delivered'}).locator('input').uncheck();
  await tab.locator('#show-all').click();
  assert.equal(await tab.locator('.lane-name').count(), lanes);
  await tab.locator('label', {hasText: 'match the search'}).locator('input').check();
  await tab.locator('#close').click();
  await tab.fill('#search', 'quorum');
  const texts = await tab.locator('.row:not(.folded) .text').allTextContents();
  assert.ok(texts.length > 0 && texts.every((text) => text.toLowerCase().includes('quorum')));
  assert.ok((await tab.locator('.row.folded').count()) > 0);
  await tab.locator('.row.folded').first().click();
  assert.ok((await tab.locator('.row:not(.folded)').count()) > texts.length);
  await close();
});

test('screen readers: the step is announced, and is the selected option', async () => {
  const {tab, close} = await open(made.failover.page, {hash: '#step=120'});
  await tab.focus('#steps-0');
  await tab.keyboard.press('ArrowDown');
  assert.match(await tab.locator('#live').textContent(), /^121, 30 ms: A is killed$/);
  const active = await tab.getAttribute('#steps-0', 'aria-activedescendant');
  const option = tab.locator(`#${active}`);
  assert.equal(await option.getAttribute('aria-selected'), 'true');
  assert.match(await option.textContent(), /A is killed/);
  assert.equal(await tab.locator('[role=option][aria-selected=true]').count(), 1);
  await close();
});

test('print: the controls are gone and the ground is white', async () => {
  const {tab, close} = await open(made.failover.page, {hash: '#step=245', dark: true});
  await tab.emulateMedia({media: 'print'});
  assert.equal(await tab.locator('.tools').isVisible(), false);
  assert.equal(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.equal(await tab.locator('.row.selected').isVisible(), true);
  await close();
});

for (const [name, pageWanted, step] of [
  ['failover', () => made.failover.page, 245],
  ['violated', () => made.violated.page, 314],
  ['other', () => made.other.page, 90],
  ['two runs', () => two, 140],
]) {
  test(`axe, ${name}: nothing in light and dark, in both languages, with each dialog`, async () => {
    const {tab, close} = await open(pageWanted(), {hash: `#step=${step}&node=2`, bypassCSP: true});
    const details = tab.locator('#nodes details.state').first();
    for (const [language, colorScheme, keys] of [
      ['en', 'light', ['?']],
      ['en', 'dark', ['f']],
      ['zh-CN', 'dark', ['x', '?']],
      ['zh-CN', 'light', ['f']],
    ]) {
      const where = `${colorScheme}, ${language}`;
      await tab.emulateMedia({colorScheme});
      if ((await tab.evaluate(() => document.documentElement.lang)) !== language) await tab.keyboard.press('l');
      assert.equal(await tab.evaluate(() => document.documentElement.lang), language);
      if ((await details.getAttribute('open')) === null) await details.locator('summary').click();
      assert.deepEqual(await violationsOf(tab), [], where);
      for (const key of keys) {
        await tab.keyboard.press(key);
        assert.deepEqual(await violationsOf(tab), [], `${where}, with the dialog of ${key}`);
        await tab.keyboard.press('Escape');
      }
    }
    await close();
  });
}

test('100,000 events: only what is in view is elements', async () => {
  const events = [];
  const nodes = [1, 2, 3, 4, 5].map((id) => ({id, name: `S${id}`, kind: 'voter'}));
  for (const {id} of nodes) {
    events.push({
      index: events.length,
      time: 0,
      node: id,
      kind: 'started',
      data: {how: 'start', disk: {}},
      changes: {up: true, log: [], count: 0},
    });
  }
  for (let message = 1; events.length < 100000; ++message) {
    const from = 1 + (message % 5),
      to = 1 + ((message * 7 + 3) % 5),
      sent = events.length;
    events.push({
      index: sent,
      time: message,
      node: from,
      kind: 'sent',
      data: {message, link: 'l', receiver: to, type: `T${message % 3}`, label: `m${message}`, content: {}},
    });
    const event = {
      index: sent + 1,
      time: message,
      node: to,
      kind: 'delivered',
      data: {message, link: 'l', from, type: `T${message % 3}`, label: `m${message}`},
      cause: sent,
      changes: {count: message},
    };
    if (message % 4 === 0) event.appended = {log: [message]};
    if (message % 50 === 0) event.text = `S${to} has ${message}`;
    events.push(event);
  }
  const trace = {
    format: 'zablab-trace',
    version: 3,
    header: {title: 'long', nodes, roles: {}},
    scenario: {},
    choices: [],
    events,
    verdicts: [],
  };
  const {tab, requests, errors, address, close} = await open(await pageOf(traceFile('long', trace)));
  const elements = () => tab.evaluate(() => document.getElementsByTagName('*').length);
  assert.ok((await elements()) < 1500, `${await elements()} elements`);
  for (const key of ['End', 'k', 'Home', 'j']) {
    await tab.keyboard.press(key);
    assert.ok((await elements()) < 1500, `${await elements()} elements after ${key}`);
  }
  await tab.evaluate(() => (document.querySelector('.scroller').scrollTop = 700000));
  await tab.waitForFunction(() => Number(document.querySelector('.row .event').textContent) > 1000);
  assert.ok((await elements()) < 1500);
  for (const step of [99999, 50001, 12345]) {
    await goTo(tab, step);
    const last = await lastEventOf(tab, trace);
    assert.deepEqual(await stateShown(tab, 2), statesAfter(trace, last)[3]);
    assert.ok((await elements()) < 1500);
  }
  await tab.fill('#search', 'has 49950');
  await tab.keyboard.press('Enter');
  assert.match(trace.events.slice(await eventOf(tab)).find((event) => event.text).text, /has 49950$/);
  assert.deepEqual(requests, [address]);
  assert.deepEqual(errors, []);
  await close();
});

test('a packed trace is the trace', async () => {
  const odd = [
    '{"__proto__":{"a":1},"constructor":null,"7":"\\"\\n</script>","":[]}',
    '[{},[],[[]],"",null,true,-1,-9223372036854775808,18446744073709551615,281474976710655,281474976710656,1.5e-7]',
    '[{"a":0,"b":281474976710655},{"a":281474976710655,"b":0},{"b":1,"a":2}]',
  ];
  const events = Array.from({length: 5000}, (_, i) => {
    const data = odd[i % 7] ?? `{"message":${i % 1000},"type":"T${i % 3}","list":[${i},${i * 977},${i % 2}]}`;
    return `{"index":${i},"time":${i * 3},"kind":"k${i % 5}","data":{"odd":${data}}}`;
  });
  const text =
    '{"format":"zablab-trace","version":4,"header":{"title":"é\u2028"},"scenario":{},"choices":[],' +
    `"events":[${events.join(',')}],"verdicts":[]}`;
  const file = join(folder, 'packed.json');
  writeFileSync(file, text);
  const page = readFileSync(await pageOf(file), 'utf8');
  const embedded = /id="trace">(.*?)<\/script>/s.exec(page)[1];
  assert.ok(embedded.length < text.length / 10);
  const document = {
    getElementById: (id) => (id === 'trace' ? {textContent: embedded, remove: () => {}} : null),
  };
  assert.deepEqual(await embeddedTraces(document), [JSON.parse(text)]);
});

test('bad input: hostile names, unknown kinds and missing causes show as text', async () => {
  const script = '</script><script>document.title="taken"</script><!--<script>';
  const mark = `"'><img src=x onerror="document.title='taken'">`;
  const turned = 'abc\u202edef\u2066ghi\u200f';
  const long = 'x'.repeat(1000000);
  const trace = {
    format: 'zablab-trace',
    version: 3,
    header: {
      title: script + turned,
      protocol: mark,
      variant: long,
      rules: [mark],
      nodes: [
        {id: 1, name: script, kind: mark},
        {id: 2, name: turned, kind: 'voter'},
        {id: 3, name: long, kind: 'client'},
      ],
      roles: {[mark]: 'leading', ['__proto__']: 'seeking'},
      phases: {},
      message_groups: [[script]],
      heartbeats: ['constructor'],
      answer: [script],
      facts: [{field: '__proto__.x', name: {en: mark}}, {field: 'a'}],
      trees: [{field: 'a', name: {en: mark}, hidden: [7, script], shows: [null, '__proto__']}, {field: 'b'}, 3],
    },
    scenario: {},
    choices: [],
    events: [
      {
        index: 0,
        time: 0,
        node: 1,
        kind: 'started',
        data: {how: script},
        changes: {up: true, a: script, [mark]: {[script]: [turned]}},
        text: mark,
      },
      {index: 1, time: 1, node: 1, kind: 'role', data: {to: mark}},
      {
        index: 2,
        time: 1,
        node: 2,
        kind: script,
        data: {
          x: mark,
          picture: {
            cells: [
              {text: script, mark},
              {text: long, mark: 'counted'},
            ],
            quorum: true,
            caption: mark,
          },
        },
      },
      {
        index: 3,
        time: 2,
        node: 2,
        kind: 'sent',
        data: {message: 1, link: mark, receiver: 1, type: script, label: turned + mark, content: {}},
      },
      {
        index: 4,
        time: 3,
        node: 1,
        kind: 'delivered',
        data: {message: 1, link: mark, from: 2, type: script, label: turned + mark},
      },
      {index: 5, time: 3, node: 1, kind: 'delivered', data: {message: 77}},
      {index: 6, time: 4, kind: 'lost', data: {}},
      {index: 7, time: 4, node: 9, kind: 'toString', data: {how: 3, between: 4, links: 'no', picture: {cells: 'no'}}},
      {index: 8, time: 4, kind: 'cut', data: {links: [[1, 2], 'x', [mark, 2]]}},
      {index: 9, time: 5, node: 2, kind: 'constructor', data: {}, text: script + long},
      {
        index: 10,
        time: 6,
        node: 3,
        kind: 'written',
        data: {record: script, content: {}, durable: false},
        appended: {'a.b.c': [mark], __proto__: [1]},
        entries: {hasOwnProperty: {x: 1}},
      },
      {index: 11, time: 6, node: 1, kind: 'stopped', data: {how: 'power_loss'}},
    ],
    verdicts: [
      {name: script, kind: 'invariant', verdict: 'violated', obligations: 1, text: mark, event: 9},
      {name: turned, kind: mark, verdict: mark, obligations: 0},
    ],
  };
  const {tab, requests, errors, address, close} = await open(await pageOf(traceFile('hostile', trace)));
  assert.ok((await tab.locator('h1').textContent()).startsWith(script));
  for (const key of ['l', 'l']) {
    await tab.keyboard.press('Home');
    for (let n = 0; n < trace.events.length; ++n) {
      await tab.keyboard.press('j');
      await tab.keyboard.press('w');
    }
    await tab.keyboard.press(key);
  }
  for (const dialog of ['f', '?', 'x']) {
    await tab.keyboard.press(dialog);
    await tab.keyboard.press('Escape');
  }
  const states = statesAfter(trace, 11);
  await tab.keyboard.press('End');
  assert.deepEqual(await stateShown(tab, 0), states[1]);
  assert.notEqual(await tab.title(), 'taken');
  assert.equal(await tab.locator('img').count(), 0);
  assert.equal(await tab.locator('script').count(), 0);
  const text = await tab.evaluate(() => document.body.innerText + document.title);
  assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/);
  assert.ok(text.length < 200000, `${text.length} characters`);
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px wider than the window`);
  assert.deepEqual(requests, [address]);
  assert.deepEqual(errors, []);
  await close();
});

test('bad input: a trace of no events, and one that is no trace', async () => {
  const empty = {format: 'zablab-trace', version: 3, header: {}, scenario: {}, choices: [], events: [], verdicts: []};
  assert.equal((await zablab('render', traceFile('empty', empty), '-o', join(folder, 'empty.html'))).status, 2);
  assert.equal((await zablab('render', traceFile('list', []), '-o', join(folder, 'list.html'))).status, 2);
});

// Two at a time: a test waits for its tab most of the time.
describe('explorer', {concurrency: 2}, () => {
  before(async () => {
    for (const [name, words] of Object.entries(runs)) {
      made[name] = await traceOf(name, ...words);
      made[name].page = await pageOf(made[name].file);
    }
    two = await pageOf(made.failover.file, '--with', made.violated.file);
  });
  after(end);
  for (const [name, body] of tests) it(name, body);
});

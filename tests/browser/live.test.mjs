// Pages with the engine inside (live/): the same runs as the program's, and every change that the page offers.

import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {blank, end, folder, open, pageOf, program, root, traceOf, violationsOf, zablab} from './page.mjs';

after(end);

const protocols = JSON.parse((await zablab('list', 'protocols', '--json')).out).map((one) => one.name);

/** The scenarios of each protocol, those of small files first. */
function scenarioFiles() {
  const found = new Map(protocols.map((name) => [name, []]));
  const walk = (directory) => {
    for (const entry of readdirSync(directory, {withFileTypes: true})) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) walk(path);
      if (!entry.name.endsWith('.json')) continue;
      const scenario = JSON.parse(readFileSync(path, 'utf8'));
      if (scenario.kind === 'scenario') found.get(scenario.protocol ?? protocols[0])?.push(path);
    }
  };
  walk(join(root, 'scenarios'));
  for (const list of found.values()) list.sort((a, b) => statSync(a).size - statSync(b).size || (a < b ? -1 : 1));
  return found;
}
const files = scenarioFiles();

/** Asks the engine of a page's file, in an open tab, without the page's own script. */
async function answerOf(tab, page, request) {
  const text = readFileSync(page, 'utf8');
  const inside = (id) => text.match(new RegExp(`<script type="text/plain" id="${id}">([^]*?)</script>`))[1];
  await tab.evaluate(
    async ([module, script]) => {
      if (globalThis.engineOfTest !== undefined) return;
      const packed = atob(module);
      const stream = new Blob([Uint8Array.from(packed, (one) => one.charCodeAt(0))]).stream();
      const bytes = await new Response(stream.pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer();
      globalThis.engineOfTest = new Worker(URL.createObjectURL(new Blob([script])));
      globalThis.engineOfTest.postMessage({module: bytes});
    },
    [inside('engine'), inside('worker')],
  );
  return tab.evaluate(
    (asked) =>
      new Promise((done) => {
        globalThis.engineOfTest.onmessage = ({data}) => done(data.answer ?? `failure: ${data.failure}`);
        globalThis.engineOfTest.postMessage({id: 1, request: JSON.stringify(asked)});
      }),
    request,
  );
}

/** A scenario of the protocol with a client's requests if there is one, in which there is time for a change. */
function scenarioToChange(protocol) {
  const fits = (path, clients) => {
    const {actions, steps = [], servers = [], seed, fails} = JSON.parse(readFileSync(path, 'utf8'));
    if (actions !== undefined || fails === true || seed !== undefined) return false;
    if ((Array.isArray(servers) ? servers.length : servers) < 3) return false;
    if (Array.isArray(servers) && servers.some((one) => one.scripted || one.down)) return false;
    return steps.length > 0 && (!clients || steps.some((step) => typeof step.client === 'number'));
  };
  return files.get(protocol).find((path) => fits(path, true)) ?? files.get(protocol).find((path) => fits(path, false));
}

/** What a page says of the run that its panels show. */
async function shown(tab) {
  return tab.evaluate(() => ({
    answer: document.querySelector('.answer').textContent,
    events: Number(document.querySelector('#position').textContent.match(/\d+/g)[1]) + 1,
    runs: [...document.querySelectorAll('#runs .run')].map((one) => one.textContent),
    ladders: document.querySelectorAll('.ladders .scroller').length,
    said: document.querySelector('#touch-status').textContent,
    bad: document.querySelector('#touch-status').className === 'bad',
  }));
}

/** Waits until nothing is under way. */
const settled = (tab) =>
  tab.waitForFunction(() => document.querySelector('#touch-stop') === null, null, {timeout: 60000});

/** Does what makes a run, and waits for it. */
async function making(tab, act) {
  const before = await tab.locator('#runs .run').count();
  await act();
  await tab.waitForFunction((count) => document.querySelectorAll('#runs .run').length > count, before, {
    timeout: 60000,
  });
  await settled(tab);
  const now = await shown(tab);
  assert.equal(now.bad, false, now.said);
  return now;
}

/** Saves the scenario of the run that was made last; the program runs it: what its trace says. */
async function savedAndRun(tab, name) {
  const [download] = await Promise.all([
    tab.waitForEvent('download'),
    tab.locator('#runs [id^="save-"]:not(#save-page)').last().click(),
  ]);
  const file = join(folder, `${name}.json`);
  await download.saveAs(file);
  const {trace} = await traceOf(`${name}-native`, file);
  return {answer: (trace.header.answer ?? []).slice(0, 6).join(' · '), events: trace.events.length, trace};
}

let compared = 0;
for (const protocol of protocols) {
  test(`${protocol}: the engine in a page writes the bytes of the program's traces`, async () => {
    const list = files.get(protocol);
    // Evenly from the whole list; all protocols together have 60.
    const chosen = [...new Set(Array.from({length: 9}, (_, i) => list[Math.floor((i * list.length) / 9)]))];
    assert.equal(chosen.length, Math.min(9, list.length));
    compared += chosen.length;
    const first = await traceOf(`live-${protocol}`, list[0]);
    const page = await pageOf(first.file, '--live');
    const {tab, close} = await open(page);
    for (const path of chosen) {
      const {file} = await traceOf(`native-${protocol}`, path);
      const answer = await answerOf(tab, page, {ask: 'run', scenario: readFileSync(path, 'utf8')});
      const mark = '"trace":';
      const from = answer.indexOf(mark);
      assert.ok(from > 0, `${path}: ${answer.slice(0, 300)}`);
      const native = readFileSync(file, 'utf8').trimEnd();
      assert.ok(answer.slice(from + mark.length, -1) === native, `${path}: other bytes`);
    }
    await close();
  });
}

test('enough runs were compared', () => assert.ok(compared >= 60, `${compared}`));

for (const protocol of protocols) {
  test(`${protocol}: what is changed in a page`, async (t) => {
    const {file, trace} = await traceOf(`change-${protocol}`, scenarioToChange(protocol));
    const page = await pageOf(file, '--live');
    const {tab, requests, errors, close} = await open(page, {
      hash: `#step=${Math.floor(trace.events.length / 2)}`,
      bypassCSP: true, // for axe; the pages that are opened again below keep it
    });
    const sameAsProgram = async (now, name) => {
      const native = await savedAndRun(tab, `${protocol}-${name}`);
      assert.equal(now.events, native.events);
      assert.equal(now.answer, native.answer);
      return native.trace;
    };
    const home = async () => {
      await tab.locator('#run-0').click();
      await settled(tab);
    };

    await t.test('a server is killed', async () => {
      const button = tab.locator('#touch [id^="touch-n"][id$="-kill"]').first();
      const server = Number((await button.getAttribute('id')).match(/n(-?\d+)/)[1]);
      const now = await making(tab, () => button.click());
      assert.equal(now.ladders, 2);
      const {events} = await sameAsProgram(now, 'kill');
      const same = events.findIndex((event, i) => JSON.stringify(event) !== JSON.stringify(trace.events[i]));
      assert.ok(events.slice(same).some((event) => event.kind === 'stopped' && event.node === server));
    });
    await t.test('a server restarts', async () => {
      await home();
      const now = await making(tab, () => tab.locator('#touch [id^="touch-n"][id$="-restart"]').last().click());
      await sameAsProgram(now, 'restart');
    });
    await t.test('a server is cut off', async () => {
      await home();
      const now = await making(tab, () => tab.locator('#touch [id^="touch-n"][id$="-partition"]').last().click());
      await sameAsProgram(now, 'partition');
    });
    await t.test('a message is lost, late, or there at once', async () => {
      await home();
      // To the first step of a message.
      await tab.locator('#first').click();
      for (let n = 0; n < 200 && (await tab.locator('#touch li[data-of^="m"]').count()) === 0; ++n)
        await tab.keyboard.press('ArrowRight');
      const numbers = [...new Set(trace.events.map((event) => event.data?.message).filter((one) => one !== undefined))];
      const endOf = (events, number) =>
        events.find((event) => event.data?.message === number && ['delivered', 'lost'].includes(event.kind));
      let tried = 0;
      for (const what of ['now', 'delay', 'drop', 'break']) {
        const button = tab.locator(`#touch li[data-of^="m"] [id$="-${what}"]`).first();
        if ((await button.count()) === 0) continue;
        const number = numbers[Number((await button.getAttribute('id')).match(/touch-m(\d+)/)[1])];
        const now = await making(tab, () => button.click());
        const {events} = await sameAsProgram(now, what);
        const before = endOf(trace.events, number),
          after = endOf(events, number);
        if (what === 'delay')
          assert.ok(after === undefined || after.kind === 'lost' || after.time > before.time, JSON.stringify(after));
        else if (what === 'now') assert.ok(after.time < before.time, JSON.stringify(after));
        else assert.equal(after.kind, 'lost');
        ++tried;
        await home();
      }
      assert.equal(tried, 3); // at once, late, and lost: alone or with its connection
    });
    await t.test('a timer expires early', async () => {
      await home();
      await tab.locator('#touch-could summary').click();
      const button = tab.locator('#touch-next button', {hasText: /^fire /}).first();
      await button.waitFor();
      const [, timer] = (await button.textContent()).match(/^fire (\S+)/);
      const time = Number((await tab.locator('#position').textContent()).match(/(\d+) ms/)[1]);
      const now = await making(tab, () => button.click());
      const {events} = await sameAsProgram(now, 'fire');
      const fired = (list) =>
        list.filter((event) => event.kind === 'timer' && event.time === time && event.data.timer === timer);
      assert.equal(fired(events).length, fired(trace.events).length + 1);
      await tab.locator('#touch-could summary').click();
    });
    await t.test('a client asks', async () => {
      await home();
      const asks = tab.locator('#touch [id*="-ask-"]');
      if ((await asks.count()) === 0) return assert.ok(!trace.header.nodes.some((node) => node.kind === 'client'));
      const now = await making(tab, () => asks.last().click());
      await sameAsProgram(now, 'ask');
      // The same, typed.
      await home();
      const typed = tab.locator('#touch [id$="-request"]').last();
      const id = (await typed.getAttribute('id')).match(/^touch-(n-?\d+)-request$/)[1];
      const request = JSON.stringify(JSON.parse(await typed.getAttribute('placeholder')));
      await typed.fill('write 7');
      await typed.press('Enter');
      assert.ok((await shown(tab)).bad);
      await typed.fill(request);
      const other = await making(tab, () => typed.press('Enter'));
      await sameAsProgram(other, 'typed');
    });
    await t.test('another seed, and a planted bug', async () => {
      await home();
      await tab.locator('#touch-other summary').click();
      await tab.waitForFunction(() => document.querySelectorAll('#touch-planted option').length > 2);
      await tab.fill('#touch-seed', '7');
      const bug = await tab.locator('#touch-planted optgroup').last().locator('option').first().getAttribute('value');
      await tab.selectOption('#touch-planted', bug);
      const now = await making(tab, () => tab.locator('#touch-run').click());
      const {header} = await sameAsProgram(now, 'seed');
      assert.equal(header.seed, 7);
      assert.ok(JSON.stringify([header.rules, header.mutations, header.variant]).includes(bug.split(' ')[1]));
      // The choices of the first run do not bind a run with another seed, also if it is made of a changed one.
      await tab.selectOption('#touch-planted', '');
      await home();
      const changed = await making(tab, () => tab.locator('#touch [id^="touch-n"][id$="-kill"]').first().click());
      assert.equal(changed.said, '');
      const reseeded = await making(tab, () => tab.locator('#touch-run').click());
      const again = await sameAsProgram(reseeded, 'reseeded');
      assert.deepEqual(again.scenario.choices ?? {}, trace.scenario.choices ?? {});
    });
    await t.test('a search for a violation goes on until it finds one or is stopped', async () => {
      await home();
      const before = await tab.locator('#runs .run').count();
      await tab.locator('#touch-search').click();
      await tab.waitForFunction(
        (count) =>
          document.querySelectorAll('#runs .run').length > count ||
          /[1-9]\d* seeds/.test(document.querySelector('#touch-status').textContent),
        before,
        {timeout: 60000},
      );
      // It may find one in this moment.
      await tab
        .locator('#touch-stop')
        .click({timeout: 3000})
        .catch(() => {});
      await settled(tab);
      const now = await shown(tab);
      assert.ok(now.runs.length > before || now.said === 'stopped', JSON.stringify(now));
      await tab.selectOption('#touch-planted', '');
    });
    await t.test('its servers are searched as a model', async () => {
      await home();
      await tab.locator('#touch-model summary').click();
      await tab.waitForFunction(() => document.querySelector('#model').value !== '');
      const model = JSON.parse(await tab.inputValue('#model'));
      assert.deepEqual([model.kind, model.protocol ?? protocols[0]], ['model', protocol]);
      await tab.fill('#model', JSON.stringify({...model, bounds: {}}));
      const before = await tab.locator('#runs .run').count();
      await tab.locator('#model-search').click();
      await tab.waitForFunction(() => document.querySelector('#touch-stop') !== null);
      await settled(tab);
      const now = await shown(tab);
      assert.match(now.said, /\d states/);
      assert.equal(now.bad, false, now.said);
      assert.equal(now.runs.length > before, /is violated/.test(now.said));
      await tab.locator('#touch-model summary').click();
    });
    await t.test('by the keyboard alone', async () => {
      await home();
      await tab.locator('body').evaluate(() => document.activeElement.blur());
      await tab.keyboard.press('t');
      await tab.keyboard.press('Tab');
      const id = await tab.evaluate(() => document.activeElement.id);
      assert.match(id, /^touch-/);
      await making(tab, () => tab.keyboard.press('Enter'));
      await tab.locator('body').evaluate(() => document.activeElement.blur());
      await tab.keyboard.press('x');
      for (let n = 0; n < 9 && (await tab.evaluate(() => document.activeElement.id)) !== 'run-it'; ++n)
        await tab.keyboard.press('Tab');
      await making(tab, () => tab.keyboard.press('Enter'));
    });
    await t.test('what was made is saved, opened again, and linked', async () => {
      const now = await shown(tab);
      const [download] = await Promise.all([tab.waitForEvent('download'), tab.locator('#save-page').click()]);
      const saved = join(folder, `${protocol}-saved.html`);
      await download.saveAs(saved);
      await tab.evaluate(() => {
        navigator.clipboard.writeText = (text) => ((globalThis.copied = text), Promise.resolve());
      });
      await tab.locator('#copy-link').click();
      await tab.waitForFunction(() => globalThis.copied !== undefined);
      const link = await tab.evaluate(() => globalThis.copied);
      assert.ok(link.length < 2000, link);
      const again = await open(saved);
      const list = await shown(again.tab);
      assert.deepEqual(list.runs, now.runs);
      await again.tab.locator('#runs .run').last().click();
      await again.tab.waitForFunction(() => document.querySelectorAll('.ladders .scroller').length === 2);
      await settled(again.tab);
      const opened = await shown(again.tab);
      assert.deepEqual([opened.answer, opened.events], [now.answer, now.events]);
      assert.deepEqual(again.errors, []);
      await again.close();
      const linked = await open(page, {hash: link.replace(/^[^#]*/, '')});
      await linked.tab.waitForFunction(() => document.querySelectorAll('.ladders .scroller').length === 2);
      await settled(linked.tab);
      const through = await shown(linked.tab);
      assert.deepEqual([through.answer, through.events], [now.answer, now.events]);
      await linked.close();
    });
    await t.test('axe finds nothing, with everything open', async () => {
      await tab.locator('#touch-other').evaluate((details) => (details.open = true));
      await tab.locator('#touch-model').evaluate((details) => (details.open = true));
      for (const theme of ['d', 'd']) {
        await tab.keyboard.press(theme);
        assert.deepEqual(await violationsOf(tab), []);
      }
    });
    await t.test('no request leaves the page, and nothing went wrong', () => {
      assert.deepEqual(
        requests.filter((address) => !/^(file:|blob:)/.test(address)),
        [],
      );
      assert.deepEqual(errors, []);
    });
    await close();
  });
}

test('a search in a page finds a planted bug, and opens it as a run', async () => {
  const {file} = await traceOf('search', scenarioToChange('zab'));
  const {tab, close} = await open(await pageOf(file, '--live'));
  await tab.locator('#touch-model summary').click();
  await tab.waitForFunction(() => document.querySelector('#model').value !== '');
  const model = {kind: 'model', name: 'two', servers: 2, mutations: ['fle_half_is_a_quorum']};
  await tab.fill('#model', JSON.stringify(model));
  const now = await making(tab, () => tab.locator('#model-search').click());
  assert.match(now.said, /^[a-z-]+ is violated, after \d+ states\.$/);
  const {trace} = await savedAndRun(tab, 'search-found');
  const violated = trace.verdicts.filter((one) => one.verdict === 'violated').map((one) => one.name);
  assert.ok(violated.includes(now.said.split(' ')[0]));
  await tab.fill('#model', '{"kind": "model"');
  await tab.locator('#model-search').click();
  await tab.waitForFunction(() => document.querySelector('#touch-status').className === 'bad');
  assert.match((await shown(tab)).said, /^the model:1:\d+: error/);
  await close();
});

test('in a run by actions the next one is chosen from all that may happen', async () => {
  const scenario = files.get('zab').find((path) => JSON.parse(readFileSync(path, 'utf8')).actions?.length > 4);
  const {file, trace} = await traceOf('next', scenario);
  const {tab, close} = await open(await pageOf(file, '--live'), {hash: '#step=0'});
  for (let n = 0; n < 3; ++n) await tab.keyboard.press('ArrowRight');
  await tab.waitForFunction(() => document.querySelectorAll('#touch-next button').length > 0);
  const chosen = await tab.locator('#touch-next button').last().textContent();
  const now = await making(tab, () => tab.locator('#touch-next button').last().click());
  assert.ok(now.runs.some((name) => name.startsWith(chosen)));
  const native = await savedAndRun(tab, 'next-chosen');
  assert.deepEqual([now.answer, now.events], [native.answer, native.events]);
  assert.equal(native.trace.scenario.actions.length, trace.scenario.actions.length + 1);
  await close();
});

const exercises = [...files.values()].flat().filter((path) => 'exercise' in JSON.parse(readFileSync(path, 'utf8')));
test('an exercise is solved in its page by a change that solves it, and not before', async () => {
  assert.ok(exercises.length > 4);
  for (const path of exercises) {
    const {exercise} = JSON.parse(readFileSync(path, 'utf8'));
    const {file} = await traceOf('exercise', path);
    const {tab, close, errors} = await open(await pageOf(file, '--live'));
    assert.ok((await tab.locator('.exercise').textContent()).includes(exercise.task.en), path);
    assert.equal(await tab.locator('.exercise .unsolved').count(), 1, path);
    assert.ok((await tab.locator('.exercise .quiet').count()) > 0, path); // what it lacks
    const {rule} = exercise.solved_with.find((change) => change.rule !== undefined);
    await tab.evaluate(() => {
      document.querySelector('#touch-other summary').click();
      // The panels are drawn again before the browser tells that the part is open: it stays open.
      for (const key of ['l', 'l']) document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    });
    await tab.waitForFunction(() => document.querySelectorAll('#touch-planted option').length > 2);
    await tab.selectOption('#touch-planted', `rule ${rule}`);
    const now = await making(tab, () => tab.locator('#touch-run').click());
    assert.equal(await tab.locator('.exercise .solved').count(), 1, `${path}: ${now.answer}`);
    const {trace} = await savedAndRun(tab, 'exercise-solved');
    assert.equal(trace.header.exercise.solved, true);
    await tab.locator('#run-0').click();
    await settled(tab);
    assert.equal(await tab.locator('.exercise .unsolved').count(), 1, path);
    await tab.keyboard.press('l');
    assert.ok((await tab.locator('.exercise').textContent()).includes(exercise.task.zh), path);
    assert.deepEqual(errors, []);
    await close();
  }
});

test("the course's lessons lead to pages of their runs, in their language", async () => {
  const course = join(folder, 'course');
  const made = spawnSync('scripts/course.py', [course, '--live', program], {cwd: root, encoding: 'utf8'});
  assert.equal(made.status, 0, made.stderr);
  const lesson = join(course, 'zh', '01-a-vote.html');
  const {tab, close} = await blank();
  await tab.goto(pathToFileURL(lesson).href);
  await tab.locator('details summary').first().click();
  await tab.locator('a[href*="/runs/"]').first().click();
  await tab.waitForFunction(() => document.documentElement.dataset.ready === 'true');
  assert.equal(await tab.evaluate(() => document.documentElement.lang), 'zh-CN');
  await making(tab, () => tab.locator('#touch [id^="touch-n"][id$="-kill"]').first().click());
  await close();
  for (const language of ['en', 'zh']) {
    for (const name of readdirSync(join(course, language)).filter((one) => /^\d/.test(one))) {
      const links = [...readFileSync(join(course, language, name), 'utf8').matchAll(/href="\.\.\/runs\/([^"#]+)/g)];
      for (const [, file] of links) assert.ok(statSync(join(course, 'runs', file)).size > 500000, file);
      assert.ok(links.length > 0, name);
    }
  }
});

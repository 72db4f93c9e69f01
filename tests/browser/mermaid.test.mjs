// Mermaid diagrams (`zablab render -o run.mmd`), drawn by Mermaid's own library in a browser. @mermaid-js/tiny is
// Mermaid's build of the same library without its largest kinds of diagrams; sequence diagrams are the same.

import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {blank, end, folder, traceFile, traceOf, zablab} from './page.mjs';

const library = createRequire(import.meta.url).resolve('@mermaid-js/tiny/dist/mermaid.tiny.js');

let page;

before(async () => {
  page = await blank();
  await page.tab.addScriptTag({path: library});
  await page.tab.evaluate(() => globalThis.mermaid.initialize({startOnLoad: false}));
});
after(end);

/** A text of the file as Mermaid has to show it. */
function shownText(text) {
  return text
    .replaceAll('<br/>', ' ')
    .replace(/#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/\s+/g, ' ')
    .trim();
}

/** What a diagram's file says. */
function read(text) {
  const said = {participants: [], messages: [], notes: []};
  for (const line of text.split('\n')) {
    const participant = /^ {2}(?:participant|actor) n\d+ as (.*)$/.exec(line);
    const message = /^ {2}n\d+(?:->>|-x|--\))n\d+: (.*)$/.exec(line);
    const note = /^ {2,4}Note over [n\d,]+: (.*)$/.exec(line);
    if (participant) said.participants.push(shownText(participant[1]));
    if (message) said.messages.push(shownText(message[1]));
    if (note) said.notes.push(shownText(note[1]));
  }
  return said;
}

/** What Mermaid shows of it. */
async function drawn(text) {
  return page.tab.evaluate(async (diagram) => {
    const {svg} = await globalThis.mermaid.render('diagram', diagram);
    document.body.innerHTML = svg;
    const textOf = (element) => element.textContent.replace(/\s+/g, ' ').trim();
    const all = (selector) => [...document.querySelectorAll(selector)];
    // A participant is named above and below its line; a note has an element of text for each of its lines.
    return {
      participants: all('text.actor, g.actor-man text').map(textOf),
      messages: all('.messageText').map(textOf),
      arrows: all('.messageLine0, .messageLine1').length,
      notes: all('g:has(> rect.note)').map((note) => [...note.querySelectorAll('text')].map(textOf).join(' ')),
      words: document.body.textContent,
      foreign: document.body.querySelectorAll('img, script, iframe, a').length,
    };
  }, text);
}

/** Renders a trace as a diagram, lets Mermaid draw it, and compares. */
async function check(file, ...options) {
  const diagram = file.replace(/\.json$/, '.mmd');
  const {status, out} = await zablab('render', file, '-o', diagram, ...options);
  assert.equal(status, 0, out);
  const text = readFileSync(diagram, 'utf8');
  const said = read(text);
  const shown = await drawn(text);
  assert.doesNotMatch(shown.words, /Syntax error/);
  assert.ok(said.participants.length > 1 && said.messages.length > 0);
  assert.deepEqual(shown.participants.sort(), [...said.participants, ...said.participants].sort());
  assert.deepEqual(shown.messages, said.messages);
  assert.equal(shown.arrows, said.messages.length);
  assert.deepEqual(shown.notes, said.notes);
  assert.equal(shown.foreign, 0);
  assert.deepEqual(page.errors, []);
  return said;
}

for (const [name, scenario, ...options] of [
  ['three servers start', 'scenarios/election/000-F1-three-servers-start.json'],
  ['five servers, the leader dies', 'scenarios/recovery/000-C1-leader-dies-with-P3.json'],
  ['the same as a story', 'scenarios/recovery/000-C1-leader-dies-with-P3.json', '--detail', 'story'],
  ['a partition', 'scenarios/broadcast/000-H1-a-write-at-the-cut-off-leader.json'],
  ['Leader and Followers', 'scenarios/leader-followers/004-1-only-the-leader-serves.json'],
  ['a register of a quorum', 'scenarios/quorum-register/004-Q1-a-read-finds-what-a-later-read-does-not.json'],
]) {
  test(`mermaid: ${name}`, async () => {
    const {file, trace} = await traceOf(name.replaceAll(' ', '-'), scenario);
    const said = await check(file, ...options);
    assert.deepEqual(said.participants, trace.header.nodes.map((node) => node.name));
  });
}

test('mermaid: a counterexample, with what is violated', async () => {
  const file = join(folder, 'counterexample.json');
  const model = 'scenarios/models/broadcast-5.json';
  const {status, out} = await zablab('check', model, '--mutate', 'zab_first_ack_commits', '--trace', file);
  assert.equal(status, 1, out);
  const said = await check(file);
  assert.ok(said.notes.some((note) => note.includes('violated')));
});

test('mermaid: hostile names show as text', async () => {
  const names = [
    '<img src=x onerror=alert(1)>',
    '</text><script>alert(1)</script>',
    '%%{init: {"theme": "dark"}}%%',
    'end',
    'n1->>n2: x; Note over n1: y',
    '#59; &amp; #quot; $$x^2$$',
    'a: #b; style: #c',
    'as <br/> __proto__ \\n',
  ];
  const nodes = names.map((name, place) => ({id: place + 1, name, kind: place % 2 ? 'client' : 'voter'}));
  const events = [];
  const add = (event) => events.push({index: events.length, time: events.length, ...event});
  for (const [place, name] of names.entries()) {
    const [from, to] = [place + 1, ((place + 1) % names.length) + 1];
    const message = {message: place + 1, link: name, type: name, label: name};
    add({node: from, kind: 'sent', data: {...message, receiver: to, content: {}}, text: name});
    if (place % 3 === 0) add({node: to, kind: 'delivered', data: {...message, from}, cause: events.length - 1});
    else if (place % 3 === 1) add({kind: 'lost', data: {...message, from, receiver: to, reason: name}});
  }
  const header = {title: names.join(' '), protocol: names[0], variant: names[4], nodes, answer: names};
  const verdicts = [{name: names[1], kind: 'invariant', verdict: 'violated', obligations: 1, text: names[2], event: 0}];
  const trace = {format: 'zablab-trace', version: 2, header, scenario: {}, choices: [], events, verdicts};
  const said = await check(traceFile('hostile', trace));
  assert.equal(said.messages.length, names.length);
  for (const [place, name] of names.entries()) {
    const start = name.slice(0, 20).replace(/\s+/g, ' ').trim(); // long names are shortened
    assert.ok(said.participants[place].startsWith(start), said.participants[place]);
    assert.ok(said.notes.some((note) => note.includes(start)), name);
  }
});

test('mermaid: a text that is no diagram is refused', async () => {
  await assert.rejects(drawn('sequenceDiagram\n  n1->>: x: y\n  nobody\n'), /Parse error|Syntax error/);
});

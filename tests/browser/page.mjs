// What the tests need of the program and of the browser.

import {execFile} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

export const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..');
export const program = resolve(process.env.ZABLAB ?? join(root, 'build/zablab'));
export const folder = mkdtempSync(join(tmpdir(), 'zablab-browser-'));

/** Runs the program: its status and what it printed. */
export function zablab(...words) {
  return new Promise((done) => {
    execFile(program, words, {cwd: root, maxBuffer: 1 << 28}, (error, out, errors) =>
      done(error === null ? {status: 0, out} : {status: error.code, out: out + errors}),
    );
  });
}

/** Runs a scenario: its trace, and where it is. */
export async function traceOf(name, scenario, ...words) {
  const file = join(folder, `${name}.json`);
  await zablab('run', scenario, '--trace', file, ...words);
  return {file, trace: JSON.parse(readFileSync(file, 'utf8'))};
}

/** Writes the page of a trace's file; throws with the program's message if it could not. */
export async function pageOf(file, ...words) {
  const page = file.replace(/\.json$/, `${words.length > 0 ? '-' + words.length : ''}.html`);
  const {status, out} = await zablab('render', file, '-o', page, ...words);
  if (status !== 0) throw new Error(`render ended with ${status}: ${out}`);
  return page;
}

/** Writes a trace as a file. */
export function traceFile(name, trace) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(trace));
  return file;
}

let browser = null; // shared by all tests of a file, each with a context of its own

async function newTab(options) {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  const context = await (await browser).newContext(options);
  const tab = await context.newPage();
  const requests = [];
  const errors = [];
  tab.on('request', (request) => requests.push(request.url()));
  tab.on('console', (message) => message.type() !== 'log' && errors.push(message.text()));
  tab.on('pageerror', (error) => errors.push(String(error)));
  return {tab, requests, errors, close: () => context.close()};
}

/** A browser's tab with nothing in it. */
export function blank(options = {}) {
  return newTab(options);
}

/** A browser's tab with the page, ready; `requests` and `errors` fill as they occur. */
export async function open(file, {hash = '', dark = false, ...options} = {}) {
  const colorScheme = dark ? 'dark' : 'light';
  const opened = await newTab({viewport: {width: 1400, height: 900}, colorScheme, ...options});
  const address = pathToFileURL(file).href;
  await opened.tab.goto(address + hash);
  await opened.tab.waitForFunction(() => document.documentElement.dataset.ready === 'true', null, {timeout: 120000});
  return {...opened, address};
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** What axe finds in a tab. */
export async function violationsOf(tab) {
  await tab.evaluate(axe);
  const result = await tab.evaluate(() => globalThis.axe.run(document, {resultTypes: ['violations']}));
  return result.violations.map(
    (one) =>
      `${one.id}: ${one.nodes
        .slice(0, 3)
        .map((node) => node.html.slice(0, 200) + ' ' + node.failureSummary)
        .join(' | ')}`,
  );
}

export async function end() {
  if (browser !== null) await (await browser).close();
  rmSync(folder, {recursive: true, force: true});
}

/** The index of the first event of the row at which the page is. */
export async function eventOf(tab) {
  return Number(/\d+/.exec(await tab.locator('#position').textContent())[0]);
}

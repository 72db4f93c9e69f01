// How long a page of the explorer takes in Chromium: node bench/explorer.mjs PAGE [RUNS]. Prints the milliseconds as JSON:
// until the page is ready, and from a key to the frame that shows its step.

import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {blank, end} from '../tests/browser/page.mjs';

const [file, runs = '5'] = process.argv.slice(2);
const times = {'page ready': [], 'a step': [], 'a step, script and layout': [], 'a jump, script and layout': []};
for (let run = 0; run < Number(runs); ++run) {
  const {tab, close} = await blank({viewport: {width: 1400, height: 900}});
  await tab.addInitScript(() => {
    new MutationObserver(() => {
      if (document.documentElement?.dataset.ready === 'true') globalThis.readyAt ??= performance.now();
    }).observe(document, {attributes: true, subtree: true});
  });
  await tab.goto(pathToFileURL(resolve(file)).href);
  await tab.waitForFunction(() => globalThis.readyAt !== undefined, null, {timeout: 120000});
  times['page ready'].push(await tab.evaluate(() => globalThis.readyAt));
  const measured = await tab.evaluate(async () => {
    const press = async (key) => {
      const since = performance.now();
      document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
      document.body.getBoundingClientRect(); // lays out what has changed
      const script = performance.now() - since;
      await new Promise((drawn) =>
        requestAnimationFrame(() => {
          const channel = new MessageChannel(); // its message comes after the frame
          channel.port1.onmessage = drawn;
          channel.port2.postMessage(null);
        }),
      );
      return [script, performance.now() - since];
    };
    const result = {frames: [], steps: [], jumps: []};
    for (const key of ['End', 'Home', 'e', 'End', 'E']) result.jumps.push((await press(key))[0]);
    for (let n = 0; n < 60; ++n) {
      const [script, frame] = await press('ArrowRight');
      result.steps.push(script);
      result.frames.push(frame);
    }
    return result;
  });
  times['a step'].push(...measured.frames);
  times['a step, script and layout'].push(...measured.steps);
  times['a jump, script and layout'].push(...measured.jumps);
  await close();
}
await end();
console.log(JSON.stringify(times));

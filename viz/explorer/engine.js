// The engine that a page may have inside (live/): the nodes themselves, in a worker of their own.

import {inflated} from './runs.js';

const patienceMs = 30000; // a run that takes longer does not end

class Engine {
  constructor(module, script) {
    this.module = module; // as base64 of its deflated form
    this.script = script;
    this.worker = null;
    this.waiting = new Map(); // by the request's number: {done, failed}
    this.number = 0;
  }

  /** Starts the worker, unless it runs. */
  start() {
    if (this.worker !== null) return this.begun;
    const address = URL.createObjectURL(new Blob([this.script], {type: 'text/javascript'}));
    const worker = (this.worker = new Worker(address));
    URL.revokeObjectURL(address);
    worker.onmessage = ({data}) => {
      const one = this.waiting.get(data.id);
      if (one === undefined) return;
      if (data.progress !== undefined) return one.told?.(JSON.parse(data.progress));
      this.waiting.delete(data.id);
      clearTimeout(one.timer);
      if (data.failure !== undefined) {
        // A module that was interrupted is not to be trusted.
        this.stop();
        one.failed(new Error(data.failure));
      } else {
        one.done(data.answer);
      }
    };
    worker.onerror = (event) => this.stop(new Error(event.message));
    this.begun = inflated(this.module).then((bytes) => worker.postMessage({module: bytes}, [bytes.buffer]));
    return this.begun;
  }

  /** Ends the worker and whatever it was doing; the next request starts another one. */
  stop(why = new Error('stopped')) {
    this.worker?.terminate();
    this.worker = null;
    for (const one of this.waiting.values()) {
      clearTimeout(one.timer);
      one.failed(why);
    }
    this.waiting.clear();
  }

  /** The text of the answer to a request (live/answer.h). */
  async text(request, told, patience = patienceMs) {
    await this.start();
    if (this.worker === null) throw new Error('stopped'); // while it started
    const id = ++this.number;
    return new Promise((done, failed) => {
      const timer = setTimeout(() => this.stop(new Error(`no answer within ${patience / 1000} s`)), patience);
      this.waiting.set(id, {done, failed, timer, told});
      this.worker.postMessage({id, request: JSON.stringify(request)});
    });
  }

  /** The answer; what is wrong with the request is thrown. `told` receives what is known of it so far. */
  async ask(request, told, patience) {
    const answer = JSON.parse(await this.text(request, told, patience));
    if (typeof answer.error === 'string') throw new Error(answer.error);
    return answer;
  }
}

/** The engine of a page; null: it has none. */
export function engineOf(page) {
  const module = page.getElementById('engine')?.textContent.trim() ?? '';
  return module === '' ? null : new Engine(module, page.getElementById('worker').textContent);
}

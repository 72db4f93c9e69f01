// Runs the engine (live/) beside the page, so that the page answers while it works. Receives the module once, then
// requests as texts, and answers each with a text.

'use strict';

let engine = null;

/**
 * What the module's standard library imports of WASI: there are no files and no environment; the clock is the page's, and
 * what is written goes to `write`.
 */
function systemOf(module, memory) {
  const view = () => new DataView(memory().buffer);
  const known = {
    environ_sizes_get(count, bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
    clock_time_get(_id, _precision, at) {
      view().setBigUint64(at, BigInt(Math.trunc(performance.now() * 1e6)), true);
      return 0;
    },
    fd_write(file, parts, count, written) {
      let bytes = 0;
      for (let i = 0; i < count; ++i) {
        const size = view().getUint32(parts + 8 * i + 4, true);
        if (file === 1) write(textAt(view().getUint32(parts + 8 * i, true), size));
        bytes += size;
      }
      view().setUint32(written, bytes, true);
      return 0;
    },
    proc_exit(code) {
      throw new Error(`the engine has ended with ${code}`);
    },
  };
  const notThere = 52; // ENOSYS
  const imports = {};
  for (const {module: from, name} of WebAssembly.Module.imports(module))
    (imports[from] ??= {})[name] = known[name] ?? (() => notThere);
  return imports;
}

async function begin(bytes) {
  const module = await WebAssembly.compile(bytes);
  const instance = await WebAssembly.instantiate(
    module,
    systemOf(module, () => engine.memory),
  );
  engine = instance.exports;
  engine._initialize?.();
}

const textAt = (at, bytes) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, at, bytes));

let id = 0; // of the request that is being answered
let written = '';

/** Lines are what is known of the answer so far. */
function write(text) {
  const lines = (written + text).split('\n');
  written = lines.pop();
  for (const progress of lines) postMessage({id, progress});
}

function answer(request) {
  const bytes = new TextEncoder().encode(request);
  const room = engine.engine_room(bytes.length);
  new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
  const at = engine.engine_answer();
  return textAt(at, engine.engine_answer_bytes());
}

let ready = null;

onmessage = async ({data}) => {
  if (data.module !== undefined) {
    ready = begin(data.module);
    return;
  }
  try {
    await ready;
    id = data.id;
    postMessage({id, answer: answer(data.request)});
  } catch (error) {
    postMessage({id: data.id, failure: String(error)});
  }
};

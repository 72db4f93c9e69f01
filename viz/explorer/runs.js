// Where the page's runs come from. An engine in the browser can stand behind the same two functions.
//
//   initialTrace()     the traces that the page begins with: one, or two to compare
//   again(scenario)    the trace of a changed scenario, or null if this source cannot run any; the page then
//                      offers the scenario as a file, and the command that runs it

/** Sets a member; names such as `__proto__` are data. */
export function define(object, key, value) {
  if (key === '__proto__')
    Object.defineProperty(object, key, {value, enumerable: true, configurable: true, writable: true});
  else object[key] = value;
}

/** A trace in which every value is written once (viz/packed.h). Equal parts of it are the same objects. */
function unpacked({shapes, values, root}) {
  const valueOf = (number) => (number < 0 ? -1 - number : values[number]);
  const keysOf = new Array(shapes.length);
  for (let i = 0; i < values.length; ++i) {
    const parts = values[i];
    if (!Array.isArray(parts)) continue;
    if (parts[0] < 0) {
      const list = new Array(parts.length - 1);
      for (let at = 1; at < parts.length; ++at) list[at - 1] = valueOf(parts[at]);
      values[i] = list;
      continue;
    }
    const keys = (keysOf[parts[0]] ??= shapes[parts[0]].map((key) => values[key]));
    const object = {};
    for (let at = 1; at < parts.length; ++at) define(object, keys[at - 1], valueOf(parts[at]));
    values[i] = object;
  }
  return values[root];
}

/** Text that is embedded as base64 of deflated text. */
async function inflated(base64) {
  const packed = atob(base64);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  const stream = new DecompressionStream('deflate-raw');
  const writer = stream.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const decoder = new TextDecoder();
  const pieces = [];
  for (const reader = stream.readable.getReader(); ;) {
    const {done, value} = await reader.read();
    if (done) break;
    pieces.push(decoder.decode(value, {stream: true}));
  }
  await written;
  return pieces.join('');
}

/** The runs that are embedded in the page. */
export function embeddedRuns(page) {
  const read = async (id) => {
    const element = page.getElementById(id);
    if (element === null || element.textContent.trim() === '') return null;
    const trace = JSON.parse(element.textContent);
    element.remove(); // its text is no longer needed
    return typeof trace.packed === 'string' ? unpacked(JSON.parse(await inflated(trace.packed))) : trace;
  };
  return {
    async initialTrace() {
      return (await Promise.all([read('trace'), read('other')])).filter((trace) => trace !== null);
    },
    async again() {
      return null;
    },
  };
}

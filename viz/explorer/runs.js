// The traces that a page has inside.

/** Sets a member; names such as `__proto__` are data. */
export function define(object, key, value) {
  if (key === '__proto__')
    Object.defineProperty(object, key, {value, enumerable: true, configurable: true, writable: true});
  else object[key] = value;
}

/** A trace as viz/packed.h writes it. Equal parts of it are the same objects. */
function unpacked(bytes) {
  const lineEnd = bytes.indexOf(0x0a);
  const {shapes, atoms} = JSON.parse(new TextDecoder().decode(bytes.subarray(0, lineEnd)));
  let at = lineEnd + 1;
  const number = () => {
    let byte = bytes[at++],
      result = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = bytes[at++];
      // Small numbers are reckoned by bits: quotients and powers would be kept as floating-point numbers, each an object.
      if (shift < 28) result |= (byte & 0x7f) << shift;
      else result += (byte & 0x7f) * 2 ** shift;
    }
    return result;
  };
  const difference = () => {
    const twice = number();
    if (twice < 0x40000000) return (twice >> 1) ^ -(twice & 1);
    return twice % 2 === 0 ? twice / 2 : -(twice + 1) / 2;
  };
  const values = [];
  const valueOf = (part) => (part < 0 ? -1 - part : values[part]);
  const lasts = shapes.map((keys) => new Array(keys.length).fill(0));
  for (let atom = 0; at < bytes.length;) {
    const what = number();
    if (what === 0) {
      values.push(atoms[atom++]);
    } else if (what === 1) {
      const list = new Array(number());
      for (let i = 0, last = 0; i < list.length; ++i) list[i] = valueOf((last += difference()));
      values.push(list);
    } else {
      const keys = shapes[what - 2],
        last = lasts[what - 2],
        object = {};
      for (let i = 0; i < keys.length; ++i) define(object, keys[i], valueOf((last[i] += difference())));
      values.push(object);
    }
  }
  return values[values.length - 1];
}

/** The bytes that are embedded as base64 of their deflated form. */
export async function inflated(base64) {
  const packed = atob(base64);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A text as it is in an address: the base64 of its deflated form, with the letters that addresses have. */
export async function deflated(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** The traces that are embedded in the page: one, or two to compare. */
export async function embeddedTraces(page) {
  const read = async (id) => {
    const element = page.getElementById(id);
    if (element === null || element.textContent.trim() === '') return null;
    const trace = JSON.parse(element.textContent);
    element.remove(); // its text is no longer needed
    return typeof trace.packed === 'string' ? unpacked(await inflated(trace.packed)) : trace;
  };
  return (await Promise.all([read('trace'), read('other')])).filter((trace) => trace !== null);
}

/** The Chinese phrase book; an old browser, which cannot unpack it, has none. */
export async function embeddedPhrases(page) {
  if (typeof DecompressionStream === 'undefined') return {};
  const bytes = await inflated(page.getElementById('phrases').textContent);
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** The times without a leader of each of them. */
export function embeddedOutages(page) {
  const element = page.getElementById('outages');
  return element === null ? [] : JSON.parse(element.textContent);
}

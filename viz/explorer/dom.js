// Elements and text. Whatever comes from a trace becomes text here and nowhere else: no markup is ever parsed.

const svgNames = 'http://www.w3.org/2000/svg';

function fill(node, properties, children) {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'css') for (const [name, one] of Object.entries(value)) node.style.setProperty(name, one);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

/** An HTML element; `on…` are listeners, `css` are single style properties. */
export function el(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/**
 * A part that opens and closes at its summary; `changed(isOpen)` hears of it at the click. The browser's own toggle
 * event comes later, and never if the part is drawn again before: it serves for what opens without a click, such as a
 * search in the page.
 */
export function folding(properties, isOpen, changed, summary, ...children) {
  let last = isOpen;
  const set = (now) => {
    if (now === last) return;
    last = now;
    changed(now);
  };
  const part = el(
    'details',
    {...properties, open: isOpen, ontoggle: () => part.isConnected && set(part.open)},
    el('summary', {onclick: () => set(!part.open)}, summary),
    children,
  );
  return part;
}

/** An SVG element. */
export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(svgNames, tag), properties, children);
}

/** Gives an element these children, in this order. Those that it had stay where they are and need no new layout. */
export function setChildren(node, children) {
  const wanted = new Set(children);
  for (const child of [...node.childNodes]) if (!wanted.has(child)) child.remove();
  let next = node.firstChild;
  for (const child of children) {
    if (child === next) next = next.nextSibling;
    else node.insertBefore(child, next);
  }
}

// Characters that change the direction of text, or are not seen.
const harmful = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text of a trace as it may be shown: control characters are visible, and it has at most `most` characters. */
export function clean(text, most = 300) {
  let result = typeof text === 'string' ? text : String(text);
  const length = result.length;
  if (length > most) result = result.slice(0, most) + `… (${length})`;
  result = result.isWellFormed && !result.isWellFormed() ? result.toWellFormed() : result;
  return result.replace(harmful, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd';
  });
}

/** The beginning of a text that has about `width` pixels at 11 pixels a letter. */
export function fitted(text, width) {
  let used = 0;
  for (let i = 0; i < text.length; ++i) {
    used += text.charCodeAt(i) > 0x2e80 ? 11 : 6.3;
    if (used > width) return text.slice(0, Math.max(i - 1, 1)) + '…';
  }
  return text;
}

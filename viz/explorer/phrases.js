// A phrase book: what a run says in another language. viz/phrases.h says what it contains and how it is read;
// this does the same.

const nestedMost = 64;

/** A pattern's parts in order: `{literal}` or `{place}`. */
function piecesOf(pattern) {
  return pattern
    .split(/(\{[^{}]+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => (/^\{[^{}]+\}$/.test(piece) ? {place: piece.slice(1, -1)} : {literal: piece}));
}

const han = /^[\u4000-\u9fff]/,
  letter = /^[A-Za-z0-9]/;

/** Two pieces of a sentence: between two Chinese characters is no blank, between one and a letter or digit one. */
function joined(text, next) {
  const last = text.slice(-1);
  if (han.test(last) && next.startsWith(' ') && han.test(next.slice(1))) return text + next.slice(1);
  if (last === ' ' && han.test(text.slice(-2)) && han.test(next)) return text.slice(0, -1) + next;
  return text + ((han.test(last) && letter.test(next)) || (letter.test(last) && han.test(next)) ? ' ' : '') + next;
}

/** The pattern with what `fields`, pairs of a place and a text, have for it: each once, as in C++. */
function filled(pattern, fields) {
  const left = [...fields];
  const inPlace = (place) => {
    const at = left.findIndex(([name]) => name === place);
    return at < 0 ? '' : left.splice(at, 1)[0][1];
  };
  return piecesOf(pattern).reduce((text, {literal, place}) => joined(text, literal ?? inPlace(place)), '');
}

export class PhraseBook {
  /** `pairs` is an object: the translation of each English pattern or word; without one everything stays as it is. */
  constructor(pairs = {}) {
    this.pairs = new Map(Object.entries(pairs));
  }

  has(english) {
    return this.pairs.has(english);
  }

  /** A word, an identifier or a sentence without places. */
  word(english) {
    return this.pairs.get(english) ?? english;
  }

  /** The pattern with these texts in its places. */
  form(english, fields) {
    return filled(this.word(english), Object.entries(fields));
  }

  /** What a trace has as `said`, or null if it has none, or if the book does not have its pattern. */
  said(said) {
    return Array.isArray(said) && this.pairs.has(said[0]) ? this.part(said, 0) : null;
  }

  part(said, depth) {
    if (!Array.isArray(said)) return typeof said === 'string' ? said : '';
    const [pattern, ...others] = said;
    if (typeof pattern !== 'string' || depth > nestedMost) return '';
    const parts = others.map((one) => this.part(one, depth + 1));
    const places = piecesOf(pattern).filter((piece) => piece.place !== undefined);
    if (places.length === 0 && parts.length > 0)
      return parts.reduce((text, part) => joined(joined(text, this.word(pattern)), part));
    return filled(
      this.word(pattern),
      places.map(({place}, i) => [place, parts[i] ?? '']),
    );
  }
}

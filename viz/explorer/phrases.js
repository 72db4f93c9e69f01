// A phrase book: the sentences of a run in another language. viz/phrases.h says what it contains and how it is
// read; this does the same.

const translatedMost = 20000,
  nestedMost = 64;

/** A pattern's parts in order: `{literal}`, or a place: `{place, list, longest}`. */
function piecesOf(pattern) {
  return pattern
    .split(/(\{\+?\w+\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const place = /^\{(\+?)((\w*?)\d*)\}$/.exec(piece);
      return place === null ? {literal: piece} : {place: place[2], list: place[3], longest: place[1] === '+'};
    });
}

/** The longest word between blanks, or ends of the pattern, that is in no place. */
function wordOfAll(pieces) {
  let longest = '';
  pieces.forEach((piece, i) => {
    if (piece.literal === undefined) return;
    const words = piece.literal.split(' ');
    words.forEach((word, at) => {
      const begins = at > 0 || i === 0;
      const ends = at + 1 < words.length || i + 1 === pieces.length;
      if (begins && ends && word.length > longest.length) longest = word;
    });
  });
  return longest;
}

/** What is in the places of a pattern that matches, or null. */
function placesIn(pieces, text) {
  const places = new Map();
  let from = 0;
  for (let i = 0; i < pieces.length; ++i) {
    const {literal, place, longest} = pieces[i];
    if (literal !== undefined) {
      // at the beginning of the pattern; all others follow a place
      if (!text.startsWith(literal)) return null;
      from = literal.length;
      continue;
    }
    let end = text.length,
      next = text.length;
    if (i + 1 < pieces.length) {
      const after = pieces[++i].literal;
      if (i + 1 === pieces.length) end = text.endsWith(after) ? text.length - after.length : -1;
      else end = longest ? text.lastIndexOf(after) : text.indexOf(after, from + 1);
      next = end + after.length;
    }
    if (end <= from) return null;
    places.set(place, text.slice(from, end));
    from = next;
  }
  return from === text.length ? places : null;
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

export class PhraseBook {
  /** `document` is that of the file; without one everything stays as it is. */
  constructor(document = {}) {
    this.lists = new Map();
    for (const [name, pairs] of Object.entries(document)) {
      const list = {phrases: [], byWord: new Map(), withoutWord: [], byPattern: new Map()};
      pairs.forEach(([english, other], number) => {
        const phrase = {english: piecesOf(english), other: piecesOf(other)};
        list.phrases.push(phrase);
        list.byPattern.set(english, phrase);
        const word = wordOfAll(phrase.english);
        if (word === '') list.withoutWord.push(number);
        else list.byWord.set(word, (list.byWord.get(word) ?? []).concat([number]));
      });
      this.lists.set(name, list);
    }
  }

  /** A sentence of a trace, or null if no pattern matches it. */
  sentence(text) {
    return this.said('sentences', text, 0);
  }

  /** What is in places of this name. */
  part(place, text) {
    return this.said(place, text, 0) ?? text;
  }

  /** The translation of a form, as pieces, or null if the book does not have it. */
  form(english) {
    return this.lists.get('forms')?.byPattern.get(english)?.other ?? null;
  }

  said(name, text, depth) {
    const list = this.lists.get(name);
    if (list === undefined || text.length > translatedMost || depth > nestedMost) return null;
    const candidates = new Set(list.withoutWord);
    for (const word of text.split(' ')) {
      for (const number of list.byWord.get(word) ?? []) candidates.add(number);
    }
    for (const number of [...candidates].sort((a, b) => a - b)) {
      const places = placesIn(list.phrases[number].english, text);
      if (places !== null) return this.filled(list.phrases[number].other, places, depth);
    }
    return null;
  }

  /** The pieces with these texts in their places. */
  filled(pieces, places, depth = 0) {
    let result = '';
    for (const {literal, place, list} of pieces) {
      const text = literal ?? places.get(place) ?? '';
      result = joined(result, literal ?? this.said(list, text, depth + 1) ?? text);
    }
    return result;
  }
}

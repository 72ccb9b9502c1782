/**
 * Counts the lines, words and characters of a text.
 *
 * @param {object} params
 * @param {string} params.text - The text to count.
 */
export function main({ text }) {
  const words = text.split(/\s+/).filter(Boolean);
  return { lines: text.split("\n").length, words: words.length, characters: [...text].length };
}

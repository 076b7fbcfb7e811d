/** Pure: what nobody would take for a part of a secret. What begins such a text is one too. */
export const looksLikeWords = (part: string): boolean =>
  part.split(/[-_./:=+~@]/).every((word) => /^(?:[A-Z]?[a-z]*|[A-Z]*|[0-9]{0,4})$/.test(word));

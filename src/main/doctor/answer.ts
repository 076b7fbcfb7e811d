/** Something that was asked for: its value, or why it is not known. There is no third way, and no guess. */
export type Answer<T> = { known: true; value: T } | { known: false; why: string };

export const known = <T>(value: T): Answer<T> => ({ known: true, value });
export const unknown = (why: string): Answer<never> => ({ known: false, why });

/**
 * Words around a path that say what it is there for. They are looked for in one clause, and only ever take away from
 * what may be claimed: a cue too many costs parallel work, one too few would cost a conflict.
 */

/** Behind it: paths that will not be edited. */
const HANDS_OFF =
  /\b(?:do not|don['’]?t|never|must not|mustn['’]?t|should not|shouldn['’]?t|without) (?:\w+ly )?(?:ever )?(?:touch|modify|change|edit|alter|rename|move|delete|remove)(?:ing)?\b/i;
const OUT_OF_SCOPE =
  /\b(?:out[- ]of[- ]scope|off[- ]limits|hands off|keep out of|stay out of|excluded?|not in scope)\b/i;
const EXCEPT = /\b(?:except(?:ing)?|excluding|other than|apart from|aside from|but not|save for|besides)\b/i;
/** Some other way to say no. What exactly is not done with the path stays unknown. */
const NEGATION =
  /\b(?:not|no|never|none|nothing|neither|nor|without|avoid|instead of|rather than|leave|keep|unchanged|untouched|as is|read[- ]only|frozen|[a-z]+n['’]t|ignore|skip)\b/i;
/** The same in other languages that tickets come in. */
const FOREIGN_NEGATION =
  /(?:^|[^\p{L}])(?:nicht|kein(?:e|en|er)?|niemals|außer|ohne|jamais|sauf|ne pas|excepto|salvo|nunca|jamás|não|niet|geen|inte|nie|не|кроме)(?=$|[^\p{L}])|不要|请勿|勿|禁止|しない|触らない/iu;
/** Behind it: paths that are read, compared with or pointed at. */
const EXAMPLE =
  /\b(?:similar(?:ly)? to|like|same (?:\w+ )?(?:as|way)|such as|e\.g\.?|for example|for instance|for (?:context|reference|background|inspiration)|as (?:in|seen|done|we did)|see(?: also)?|cf\.?|compare|refer(?:ence|s|red)?(?: to)?|based on|inspired by|modell?ed (?:on|after)|analogous to|follow(?:s|ing)?(?: the)? (?:pattern|style|example|lead)|pattern (?:of|in|from)|look at|copy from|copied from|taken from|mirrors?|unlike|via|calls?|called (?:by|from)|imported? (?:by|from)|imports?|uses?|used (?:by|in)|depends on|docs? (?:in|at)|documented in|described in|explained in|runs?|execute)\b/i;
/** The writer does not know either. */
const HEDGE =
  /\b(?:maybe|perhaps|probably|possibly|presumably|might|may be|could be|not sure|unsure|i (?:think|guess|believe|suspect)|seems?|somewhere|wherever|whatever|whichever|unclear|likely|or so|something like|find out|figure out|investigate|wherever|as needed|if needed|if necessary|as necessary)\b|\?\s*$/i;
/** More will be edited than is named. */
const MORE =
  /\b(?:everything else|anything else|everywhere|anywhere|throughout|across the|repo(?:sitory)?[- ]wide|project[- ]wide|code ?base|(?:whole|entire) (?:repo(?:sitory)?|project|app(?:lication)?|tree|code)|all (?:the |of the |its |their |other |our )*(?:files|usages?|callers?|call sites?|packages|modules|references|imports|tests|components|places|occurrences|consumers)|etc|and so on|and (?:others?|more|friends|the rest|similar)|(?:and|plus|with) (?:its|their|the|all|any|related|corresponding|matching|other|relevant|some) (?:\w+ )?(?:tests?|callers?|usages?|imports?|files?|components?|modules?|specs?|types?|styles?|docs?|documentation)|related files|any other|fair game)\b|\.\.\.|…/i;

export type Cue = 'hands-off' | 'doubt' | undefined;

const firstOf = (text: string, patterns: readonly RegExp[]): number => {
  const found = patterns.map((pattern) => text.search(pattern)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
};

/**
 * What a clause says of a path at `at`. `hands-off`: plainly not to be edited, so it is left out and nothing is in
 * doubt. `doubt`: something makes it less than plain.
 */
export function cueOf(clause: string, at: number): Cue {
  const before = clause.slice(0, at);
  const after = clause.slice(at).replace(/^\u0001+/, '');
  const contrast = /\b(?:but|only|instead|until|unless|forget|hesitate|just|however|then|also)\b/i;
  const plainAt = firstOf(before, [HANDS_OFF, OUT_OF_SCOPE, EXCEPT]);
  if (plainAt >= 0 && !contrast.test(before.slice(plainAt).replace(EXCEPT, ''))) return 'hands-off';
  if (firstOf(before, [HANDS_OFF, OUT_OF_SCOPE, EXCEPT, NEGATION, EXAMPLE, FOREIGN_NEGATION]) >= 0)
    return 'doubt';
  // Behind the path only what turns back to it counts: "`a` must stay unchanged", "`a` nicht anfassen".
  const turnsBack =
    /\b(?:is|are|was|must|should|shall|may|can|stays?|remains?|works?|alone|out of scope|off limits)\b/i;
  if (FOREIGN_NEGATION.test(after)) return 'doubt';
  const own = after.split(/\b(?:but|and|so that|to|because|if|when|where|with)\b|[,;(]|\u0001/i)[0] ?? '';
  if (OUT_OF_SCOPE.test(own) || (NEGATION.test(own) && turnsBack.test(own))) return 'doubt';
  return undefined;
}

/** True when a heading or a lead-in ("Do not touch:") turns what is listed under it into something else than work. */
export function cueOfHeading(heading: string): Cue {
  if (firstOf(heading, [HANDS_OFF, OUT_OF_SCOPE, EXCEPT]) >= 0) return 'hands-off';
  const aside =
    /\b(?:context|background|references?|links?|notes?|examples?|logs?|output|stack ?trace|trace|errors?|environment|reproduc\w+|steps|see also)\b/i;
  if (firstOf(heading, [NEGATION, EXAMPLE, FOREIGN_NEGATION, aside]) >= 0) return 'doubt';
  return undefined;
}

/** Why the text as a whole names more than its paths, or does not know them; undefined: it does not say so. */
export function doubtOfText(text: string): string | undefined {
  const more = MORE.exec(text)?.[0];
  if (more) return `it asks for more than it names ("${more}")`;
  const hedge = HEDGE.exec(text)?.[0].trim();
  if (hedge) return `it is not sure of its paths ("${hedge}")`;
  return undefined;
}

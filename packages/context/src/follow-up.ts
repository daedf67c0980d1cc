/** Recognizes guidance that tells the main model to ask the user a follow-up question. */

/** The question marks of Latin, full-width, Arabic and Armenian script. */
const QUESTION_MARKS = /[?？؟՞]/;

/** The ends of sentences between which a negation counts. */
const SENTENCE_ENDS = /[.!;。！；…\n]/;

/** Words after `ask` that make the phrase a question to the user, such as "ask how". */
const ASKED =
  'them|him|her|the user|the person|you|how|about|after|if|whether|what|when|where|which|who|whom|whose|why|for';

/** The phrases, in English. A phrase may begin at any word. */
const PHRASES: readonly RegExp[] = [
  new RegExp(`\\bask(?:ing)?(?: (?:${ASKED})\\b)`),
  /\bask(?:ing)?\b[^.!;]*\bquestions?\b/,
  new RegExp(`\\bask(?:ing)?(?: [\\p{L}\\p{M}'-]+){1,4} (?:${ASKED})\\b`, 'u'),
  /\bfollow(?:ing)?[ -]?ups?\b/,
  /\bcheck(?:ing)?[ -]in\b/,
  /\bprob(?:e|es|ing)\b/,
  /\b[ei]nquir(?:e|es|ing)\b/,
  /\b(?:invit|encourag)(?:e|es|ing)\b[^.!;]*\b(?:share|sharing|tell|talk|say|open up|elaborate|describe|explain)\b/,
  /\btell me more\b/,
  /\bwould you like\b/,
  /\b(?:end|ends|ending|finish|finishing|close|closing) (?:with|on) (?:[\p{L}-]+ ){0,4}questions?\b/u,
];

/** A negation applies to everything after it in its sentence. */
const NEGATIONS = /\b(?:not|never|no|nor|neither|without|avoid(?:s|ing)?|refrain(?:s|ing)?|cannot)\b|n't\b/;

/** These words negate only a phrase that follows them directly: "skip the follow-up". */
const DIRECT_NEGATION =
  /\b(?:skip(?:s|ping)?|stop(?:s|ping)?|instead of|rather than)(?: (?:the|a|an|any|to))? $/;

/** An item has at most 300 code points. The search ends after this length, so that no text takes long. */
const MOST_UNITS = 1_000;

/** Returns true if the guidance asks a question, or tells the model to ask one, and no negation precedes it. */
export function asksFollowUp(item: string): boolean {
  const text = item.slice(0, MOST_UNITS);
  if (QUESTION_MARKS.test(text)) return true;
  return text
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .split(SENTENCE_ENDS)
    .some(asksInSentence);
}

function asksInSentence(sentence: string): boolean {
  const words = sentence.replace(/\s+/g, ' ');
  const negatedFrom = NEGATIONS.exec(words)?.index ?? Number.POSITIVE_INFINITY;
  return PHRASES.some((phrase) => {
    const at = phrase.exec(words)?.index;
    return at !== undefined && at < negatedFrom && !DIRECT_NEGATION.test(words.slice(0, at));
  });
}

/** Splits a text into plain parts and the expressions in `${…}`. `$${` stands for the plain text `${`. */

export type TemplatePart = { readonly text: string } | { readonly expression: string };

/** A literal of CEL. A brace inside a literal does not end an expression. */
const LITERAL = /("""|'''|["'])(?:\\.|[^\\])*?\1/sy;
/** A literal in which a backslash is a plain character. The prefix of such a literal comes before its quote. */
const RAW_LITERAL = /("""|'''|["']).*?\1/sy;
const RAW_PREFIX = /(?:^|\W)(?:[rR][bB]?|[bB][rR])$/;

/** Returns null if an expression has no closing brace. */
export function templateParts(template: string): readonly TemplatePart[] | null {
  const parts: TemplatePart[] = [];
  let text = '';
  let at = 0;
  for (let dollar = template.indexOf('$'); dollar >= 0; dollar = template.indexOf('$', at)) {
    text += template.slice(at, dollar);
    if (template.startsWith('$${', dollar)) {
      text += '${';
      at = dollar + 3;
    } else if (template.startsWith('${', dollar)) {
      const end = endOfExpression(template, dollar + 2);
      if (end === null) return null;
      if (text !== '') parts.push({ text });
      text = '';
      parts.push({ expression: template.slice(dollar + 2, end) });
      at = end + 1;
    } else {
      text += '$';
      at = dollar + 1;
    }
  }
  text += template.slice(at);
  if (text !== '' || parts.length === 0) parts.push({ text });
  return parts;
}

/**
 * Returns the position of the brace that closes the expression. A literal without a closing quote ends the search.
 * Otherwise the search would start again at each later quote, and take quadratic time.
 */
function endOfExpression(template: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < template.length; at += 1) {
    const character = template[at];
    if (character === '"' || character === "'") {
      const literal = literalAt(template, from, at);
      if (literal === null) return null;
      at += literal.length - 1;
    } else if (character === '{') {
      depth += 1;
    } else if (character === '}') {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return null;
}

function literalAt(template: string, from: number, at: number): string | null {
  const isRaw = RAW_PREFIX.test(template.slice(Math.max(from, at - 3), at));
  const form = isRaw ? RAW_LITERAL : LITERAL;
  form.lastIndex = at;
  return form.exec(template)?.[0] ?? null;
}

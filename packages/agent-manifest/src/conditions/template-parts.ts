/** Splits a text into what is written as it stands and the expressions in `${…}`. `$${` stands for `${`. */

export type TemplatePart = { readonly text: string } | { readonly expression: string };

/** A literal of CEL. A brace in it ends no expression. In a raw literal a backslash is a plain character. */
const LITERAL = /(?:[rR][bB]?|[bB][rR])("""|'''|["']).*?\1|("""|'''|["'])(?:\\.|[^\\])*?\2/sy;

/** Returns null if an expression has no end. */
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

/** Returns the position of the brace that closes the expression. */
function endOfExpression(template: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < template.length; at += 1) {
    LITERAL.lastIndex = at;
    const literal = LITERAL.exec(template)?.[0];
    if (literal !== undefined) {
      at += literal.length - 1;
      continue;
    }
    if (template[at] === '{') depth += 1;
    else if (template[at] !== '}') continue;
    else if (depth === 0) return at;
    else depth -= 1;
  }
  return null;
}

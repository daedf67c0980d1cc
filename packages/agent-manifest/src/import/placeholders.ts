/** Converts placeholders in texts of other files, so that the runner fills them in. */

/** The placeholders of crewAI: `{topic}`. */
const OF_A_CREW = /\{([A-Za-z_][A-Za-z0-9_-]{0,99})\}/g;

/** A text as it is, or an expression. The value of the expression is inserted. */
export type Part = { text: string } | { expression: string };

/** Returns the names of the placeholders of a text of crewAI, each once. */
export function placeholdersIn(text: string): string[] {
  return [...new Set([...text.matchAll(OF_A_CREW)].map(([, name = '']) => name))];
}

/** Returns a text of crewAI with expressions for its placeholders. */
export function withExpressions(text: string): string {
  return filledIn(text, OF_A_CREW, (name) => ({ expression: inputNamed(name) }));
}

/** Returns a text in which each placeholder becomes an expression, and everything else stays plain text. */
export function filledIn(text: string, placeholder: RegExp, partFor: (name: string) => Part): string {
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(placeholder)) {
    parts.push({ text: text.slice(end, match.index) }, partFor(match[1] ?? ''));
    end = match.index + match[0].length;
  }
  return written([...parts, { text: text.slice(end) }]);
}

/** Returns a text that the runner reads as plain text without expressions. */
export function escaped(text: string): string {
  return text.replaceAll('${', () => '$${');
}

/** Dollar signs right before an expression would become part of an escape. So they are written as an expression too. */
function written(parts: readonly Part[]): string {
  let result = '';
  let text = '';
  for (const part of parts) {
    if ('text' in part) text += part.text;
    else {
      const plain = withoutDollars(text);
      const dollars = text.slice(plain.length);
      result +=
        escaped(plain) + (dollars === '' ? '' : expression(celText(dollars))) + expression(part.expression);
      text = '';
    }
  }
  return result + escaped(text);
}

function expression(cel: string): string {
  return `\${${cel}}`;
}

function withoutDollars(text: string): string {
  let end = text.length;
  while (text[end - 1] === '$') end -= 1;
  return text.slice(0, end);
}

/** Returns the expression for an input of the run. */
export function inputNamed(name: string): string {
  return `inputs[${celText(name)}]`;
}

/** Writes a text as a literal of CEL. */
export function celText(text: string): string {
  return JSON.stringify(text);
}

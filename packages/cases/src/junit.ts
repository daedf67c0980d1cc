/** Results of cases as JUnit XML, which CI systems read: one suite for each file, with times in seconds. */
import type { CaseTold } from './play-case.ts';

export type TestedCase = CaseTold & { file: string; line: number; name: string; tookMs: number };

export function junitXml(cases: readonly TestedCase[]): string {
  const files = Map.groupBy(cases, ({ file }) => file);
  const suites = [...files].map(
    ([file, of]) =>
      `  <testsuite${attributes({ name: file, ...counts(of) })}>\n${of.map(testcase).join('')}  </testsuite>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name: 'mandate test', ...counts(cases) })}>\n${suites.join('')}</testsuites>\n`;
}

function counts(cases: readonly TestedCase[]) {
  const tookMs = cases.reduce((sum, one) => sum + one.tookMs, 0);
  const failures = cases.filter(({ ok }) => !ok).length;
  return { tests: cases.length, failures, errors: 0, skipped: 0, time: seconds(tookMs) };
}

function testcase(tested: TestedCase): string {
  const { file, line, name, tookMs } = tested;
  const head = `    <testcase${attributes({ classname: file, name, file, line, time: seconds(tookMs) })}`;
  const failed = tested.steps.flatMap((step) =>
    step.differences.length === 0 ? [] : [{ ...step, message: messageOf(step) }],
  );
  const [first] = failed;
  if (first === undefined) return `${head}/>\n`;
  const text = failed
    .map(({ line, title, message, told }) => [`${file}:${line} ${title}`, message, ...told].join('\n'))
    .join('\n\n');
  const failure = `      <failure${attributes({ message: `${first.title}: ${first.message}` })}>${escaped(text)}</failure>\n`;
  return `${head}>\n${failure}    </testcase>\n`;
}

function messageOf({ differences }: TestedCase['steps'][number]): string {
  return differences
    .map(({ what, expected, seen }) => `${what}: expected ${expected}, seen ${seen}`)
    .join('; ');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** Escapes a text for XML. A character that XML cannot contain becomes �. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"'\n\r\t]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[^\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '\u{fffd}');
}

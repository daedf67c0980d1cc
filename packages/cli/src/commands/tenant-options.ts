/** What is said of a tenant on the command line, upon what stands. */
import { describeFault, documentWarnings, type FindPlace, readDocuments } from '@mandate/policy/documents';
import { readNamedFile } from '@mandate/runtime';
import { CAPS, type TenantDocument, type TenantLimits, tenantDocument, tenantLimits } from '@mandate/schemas';
import { Command } from 'commander';
import type { z } from 'zod';
import { CommandFailure } from '../exit-codes.ts';
import { someText, wholeNumber } from '../input/option-values.ts';

type Counts = Pick<TenantLimits, 'agents' | 'policies' | 'rules' | 'issuedMandates'>;

export type TenantOptions = Counts & {
  name?: string;
  limits?: string;
  bounds?: string;
  unbounded?: true;
  directTopic?: true;
};

export function withTenant(command: Command): Command {
  const upTo = (cap: number) => wholeNumber({ min: 0, max: cap });
  return command
    .option('--name <text>', 'for people', someText)
    .option('--agents <count>', 'at most so many agents', upTo(CAPS.agents))
    .option('--policies <count>', 'at most so many policies, archived ones among them', upTo(CAPS.policies))
    .option('--rules <count>', 'at most so many rules', upTo(CAPS.rules))
    .option(
      '--issued-mandates <count>',
      'at most so many mandates that have not ended',
      upTo(CAPS.issuedMandates),
    )
    .option(
      '--limits <file>',
      'how much it may write: YAML with fields of `limits`; those that are not named stay',
    )
    .option('--bounds <file>', 'what all of it is held to: YAML with the fields of a policy')
    .option('--unbounded', 'it is held to nothing any more')
    .option('--direct-topic', 'it publishes to a topic of its own');
}

const OPTIONS = withTenant(new Command()).options;

/** Throws where nothing is said: a change of nothing would stand on the record. */
export function mustSaySomething(options: TenantOptions): void {
  if (OPTIONS.some((option) => option.attributeName() in options)) return;
  const flags = OPTIONS.map(({ long }) => long).join(', ');
  throw new CommandFailure(2, `say what changes: ${flags}`);
}

/**
 * What is not said stays as it is.
 *
 * @param warnings gets a line for each thing that bounds of a file probably do not mean
 */
export function tenantOf(before: TenantDocument, options: TenantOptions, warnings: string[]): TenantDocument {
  const { name, bounds, unbounded, directTopic, limits: file } = options;
  const { agents, policies, rules, issuedMandates } = options;
  if (bounds !== undefined && unbounded) {
    throw new CommandFailure(2, '--bounds and --unbounded are both given', 'Give one of them.');
  }
  const said = Object.entries({ agents, policies, rules, issuedMandates }).filter(
    ([, most]) => most !== undefined,
  );
  const inFile = file === undefined ? {} : limitsIn(file);
  const limits = { ...before.limits, ...inFile, ...Object.fromEntries(said) };
  const { bounds: stand, ...rest } = before;
  const held = unbounded ? undefined : bounds === undefined ? stand : boundsIn(bounds, warnings);
  return {
    ...rest,
    ...(name !== undefined && { name }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(held !== undefined && { bounds: held }),
    ...(directTopic && { directTopic }),
  };
}

function boundsIn(file: string, warnings: string[]): TenantDocument['bounds'] {
  const schema = tenantDocument.shape.bounds.unwrap();
  const what = { what: 'bounds', begins: 'maxCostTotal: 100.00', of: 'with the fields of a policy' };
  const { document: bounds, find } = documentIn(file, schema, what);
  const doubts = documentWarnings({ policies: [{ document: { id: 'bounds', ...bounds }, find }] });
  warnings.push(...doubts.map((doubt) => describeFault(file, doubt)));
  return bounds;
}

function limitsIn(file: string): TenantLimits {
  const begins = 'publish: { records: { perSecond: 500 } }';
  const what = { what: 'limits', begins, of: 'with fields of `limits`' };
  return documentIn(file, tenantLimits, what).document;
}

/** The one document of the file. Throws CommandFailure with every fault, by line and column. */
function documentIn<T>(
  file: string,
  schema: z.ZodType<T, T>,
  { what, begins, of }: { what: string; begins: string; of: string },
): { document: T; find: FindPlace } {
  const all: { document: T; find: FindPlace }[] = [];
  const faults = readDocuments(readNamedFile(file), { schema, what, begins }, (document, _say, find) =>
    all.push({ document, find }),
  );
  const [first, more] = all;
  if (faults.length === 0 && first !== undefined && more === undefined) return first;
  const said = faults.map((fault) => describeFault(file, fault));
  throw new CommandFailure(
    2,
    `the ${what} are bad\n${said.join('\n') || `${file} holds several documents`}`,
    `Correct the file at these places: one document, ${of}.`,
  );
}

import { describeFault, documentWarnings, type FindPlace, readDocuments } from '@mandate/policy/documents';
import { readNamedFile } from '@mandate/runtime';
import { CAPS, type TenantDocument, type TenantQuotas, tenantDocument, tenantQuotas } from '@mandate/schemas';
import { Command } from 'commander';
import type { z } from 'zod';
import { WrongUse } from '../exit-codes.ts';
import { someText, wholeNumber } from '../input/option-values.ts';

type Counts = Pick<TenantQuotas, 'agents' | 'policies' | 'rules' | 'grants'>;

export type TenantOptions = Counts & {
  name?: string;
  quotas?: string;
  limits?: string;
  removeLimits?: true;
  directTopic?: true;
  forbidOwnApproval?: true;
  allowOwnApproval?: true;
};

export function withTenant(command: Command): Command {
  const upTo = (cap: number) => wholeNumber({ min: 0, max: cap });
  return command
    .option('--name <text>', 'a name for people', someText)
    .option('--agents <count>', 'the maximum number of agents', upTo(CAPS.agents))
    .option(
      '--policies <count>',
      'the maximum number of policies, including archived policies',
      upTo(CAPS.policies),
    )
    .option('--rules <count>', 'the maximum number of rules', upTo(CAPS.rules))
    .option('--grants <count>', 'the maximum number of grants that have not ended', upTo(CAPS.grants))
    .option('--quotas <file>', 'a YAML file with the quotas to change')
    .option('--limits <file>', 'a YAML file with a policy that limits all agents of the tenant')
    .option('--remove-limits', 'remove the policy of --limits')
    .option('--forbid-own-approval', 'people may not answer for actions that they asked for')
    .option('--allow-own-approval', 'undo --forbid-own-approval')
    .option('--direct-topic', 'the tenant publishes to its own topic');
}

const OPTIONS = withTenant(new Command()).options;

/** Throws if no field is given. Otherwise the log would contain a change that changes nothing. */
export function mustSaySomething(options: TenantOptions): void {
  if (OPTIONS.some((option) => option.attributeName() in options)) return;
  const flags = OPTIONS.map(({ long }) => long).join(', ');
  throw new WrongUse('no change is named', `Give at least one of: ${flags}.`);
}

/**
 * Returns the document with the fields of the options. The other fields stay as they are.
 *
 * @param warnings gets a line for each part of the `limits` file that probably does not mean what its author intended
 */
export function tenantOf(before: TenantDocument, options: TenantOptions, warnings: string[]): TenantDocument {
  const {
    name,
    limits,
    removeLimits,
    directTopic,
    forbidOwnApproval,
    allowOwnApproval,
    quotas: file,
  } = options;
  const { agents, policies, rules, grants } = options;
  const said = Object.entries({ agents, policies, rules, grants }).filter(([, most]) => most !== undefined);
  const inFile = file === undefined ? {} : quotasIn(file);
  const quotas = { ...before.quotas, ...inFile, ...Object.fromEntries(said) };
  const { limits: current, ...rest } = before;
  const next = removeLimits ? undefined : limits === undefined ? current : limitsIn(limits, warnings);
  return {
    ...rest,
    ...(name !== undefined && { name }),
    ...(Object.keys(quotas).length > 0 && { quotas }),
    ...(next !== undefined && { limits: next }),
    ...(directTopic && { directTopic }),
    ...((forbidOwnApproval || allowOwnApproval) && { forbidsOwnApproval: forbidOwnApproval === true }),
  };
}

function limitsIn(file: string, warnings: string[]): TenantDocument['limits'] {
  const schema = tenantDocument.shape.limits.unwrap();
  const what = { what: 'limits', begins: 'maxCostTotal: 100.00', of: 'with the fields of a policy' };
  const { document: limits, find } = documentIn(file, schema, what);
  const doubts = documentWarnings({ policies: [{ document: { id: 'limits', ...limits }, find }] });
  warnings.push(...doubts.map((doubt) => describeFault(file, doubt)));
  return limits;
}

function quotasIn(file: string): TenantQuotas {
  const begins = 'publish: { records: { perSecond: 500 } }';
  const what = { what: 'quotas', begins, of: 'with fields of `quotas`' };
  return documentIn(file, tenantQuotas, what).document;
}

/** Returns the only document of the file. Throws CommandFailure with every fault, by line and column. */
function documentIn<T>(
  file: string,
  schema: z.ZodType<T>,
  { what, begins, of }: { what: string; begins: string; of: string },
): { document: T; find: FindPlace } {
  const all: { document: T; find: FindPlace }[] = [];
  const faults = readDocuments(readNamedFile(file), { schema, what, begins }, (document, _say, find) =>
    all.push({ document, find }),
  );
  const [first, more] = all;
  if (faults.length === 0 && first !== undefined && more === undefined) return first;
  const said = faults.map((fault) => describeFault(file, fault));
  throw new WrongUse(
    `the ${what} are bad\n${said.join('\n') || `${file} holds several documents`}`,
    `Correct the file at these places: one document, ${of}.`,
  );
}

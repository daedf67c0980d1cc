/** The content of a recorded change, as terms with their values, so that two versions of a document can be compared. */
import type {
  AgentDocument,
  ControlRecord,
  PolicyDocument,
  RuleDocument,
  TenantDocument,
} from '@mandate/schemas';
import { counted } from '../data/numbers.ts';
import { wholeTime } from '../data/time.ts';
import { limitsInWords } from './limits-in-words.ts';
import { agentsInWords, limitsInWords as whenInWords } from './rule-in-words.ts';

/** A term, such as «Groups», with its value in words. */
export type Term = readonly [term: string, value: string];

type ApiKey = Extract<ControlRecord, { event: 'key.issued' }>['key'];

export function termsOf(record: ControlRecord): readonly Term[] {
  switch (record.event) {
    case 'agent.put':
      return agentTerms(record.agent);
    case 'rule.put':
      return ruleTerms(record.rule);
    case 'tenant.put':
      return tenantTerms(record.tenant);
    case 'key.issued':
      return [['Agent', record.agentId], ...keyTerms(record.key)];
    case 'role.granted':
      return [['For', record.key.name], ['Role', record.role], ...keyTerms(record.key)];
    case 'policy.archived':
      return [['Rules that name it', record.forced ? 'block their agents' : 'none']];
    case 'rules.reordered':
      return [['Order', record.ruleIds.join(', ')]];
    case 'grant.issued': {
      const { agentId, context, rules, openRules, startsAt, expiresAt } = record.grant;
      return [
        ['Agent', agentId],
        ['In the context', mapInWords(context)],
        [
          'By the rules',
          [...rules, ...openRules].map(({ rule, policy }) => `${rule} (${policy})`).join(', '),
        ],
        ...(startsAt === undefined ? [] : [['From', at(startsAt)] as const]),
        ['Until', at(expiresAt)],
      ];
    }
    case 'manifest.published': {
      const { agents, policies, rules } = record.manifest;
      return [
        ['Agents', agents.map(({ id }) => id).join(', ')],
        ['Policies', policies.map(({ id }) => id).join(', ') || 'none'],
        ['Rules', rules.map(({ id }) => id).join(', ') || 'none'],
      ];
    }
    default:
      return [];
  }
}

/** Returns one sentence for each term that differs. Empty if there is no difference. */
export function differencesInWords(before: readonly Term[], after: readonly Term[]): readonly string[] {
  const [was, is] = [new Map(before), new Map(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((term) => {
    const [old = 'none', now = 'none'] = [was.get(term), is.get(term)];
    return old === now ? [] : [`${term}: ${old} → ${now}`];
  });
}

function agentTerms({ name, groups, labels, parent, requiresGrant }: AgentDocument): Term[] {
  return [
    ['Name', name ?? 'none'],
    ['Groups', groups.join(', ') || 'none'],
    ['Labels', mapInWords(labels)],
    ['Parent', parent ?? 'none'],
    ['Needs a grant', requiresGrant === true ? 'yes' : 'no'],
  ];
}

function ruleTerms(rule: RuleDocument): Term[] {
  return [
    ['Gives', rule.policy],
    ['For', [agentsInWords(rule), ...whenInWords(rule)].join(', ')],
  ];
}

function tenantTerms({ name, quotas, limits, forbidsOwnApproval }: TenantDocument): Term[] {
  return [
    ['Name', name ?? 'none'],
    ['Quotas', mapInWords(quotas ?? {})],
    [
      'Tenant limits',
      limitsInWords({ ...limits, version: 1, id: 'limits' } as PolicyDocument).join('; ') ||
        'none on amounts',
    ],
    ['May people approve their own actions', forbidsOwnApproval === true ? 'no' : 'yes'],
  ];
}

function keyTerms({ scopes, agents, expiresAt }: ApiKey): Term[] {
  return [
    ['May', scopes.join(', ')],
    ['For the agents', agents.join(', ')],
    ['Valid until', expiresAt == null ? 'it is revoked' : at(expiresAt)],
  ];
}

function at(time: string): string {
  return wholeTime(Date.parse(time));
}

function mapInWords(map: object): string {
  return (
    Object.entries(map)
      .map(
        ([name, value]) =>
          `${name}=${typeof value === 'number' ? counted(value) : typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
      )
      .join(', ') || 'none'
  );
}

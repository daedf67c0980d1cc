/** Every subcommand: its name, its heading in the help, a short description, and the module with its code. */
import type { Command } from 'commander';
import type { RunCommand } from './command-context.ts';

type Describe = (command: Command, run: RunCommand) => void;

export type Subcommand = {
  name: string;
  summary: string;
  /** The heading in the help under which the command is listed. */
  group: string;
  load(): Promise<Describe>;
};

const LOADERS = {
  up: async () => (await import('./commands/up.ts')).upCommand,
  demo: async () => (await import('./commands/demo.ts')).demoCommand,
  init: async () => (await import('./commands/init.ts')).initCommand,
  login: async () => (await import('./commands/login.ts')).loginCommand,
  logout: async () => (await import('./commands/profiles.ts')).logoutCommand,
  profiles: async () => (await import('./commands/profiles.ts')).profilesCommand,
  agents: async () => (await import('./commands/agents.ts')).agentsCommand,
  policies: async () => (await import('./commands/policies.ts')).policiesCommand,
  manifest: async () => (await import('./commands/manifest.ts')).manifestCommand,
  manifests: async () => (await import('./commands/manifests.ts')).manifestsCommand,
  rules: async () => (await import('./commands/rules.ts')).rulesCommand,
  grants: async () => (await import('./commands/grants.ts')).grantsCommand,
  apply: async () => (await import('./commands/apply.ts')).applyCommand,
  diff: async () => (await import('./commands/apply.ts')).diffCommand,
  pull: async () => (await import('./commands/pull.ts')).pullCommand,
  preview: async () => (await import('./commands/preview.ts')).previewCommand,
  search: async () => (await import('./commands/search.ts')).searchCommand,
  values: async () => (await import('./commands/values.ts')).valuesCommand,
  lint: async () => (await import('./commands/lint.ts')).lintCommand,
  validate: async () => (await import('./commands/validate.ts')).validateCommand,
  test: async () => (await import('./commands/test.ts')).testCommand,
  eval: async () => (await import('./commands/eval.ts')).evalCommand,
  prices: async () => (await import('./commands/prices.ts')).pricesCommand,
  publish: async () => (await import('./commands/publish.ts')).publishCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  tail: async () => (await import('./commands/tail.ts')).tailCommand,
  decisions: async () => (await import('./commands/decisions.ts')).decisionsCommand,
  spend: async () => (await import('./commands/audit-questions.ts')).spendCommand,
  budgets: async () => (await import('./commands/budgets.ts')).budgetsCommand,
  analytics: async () => (await import('./commands/audit-questions.ts')).analyticsCommand,
  settlements: async () => (await import('./commands/audit-questions.ts')).settlementsCommand,
  'control-events': async () => (await import('./commands/audit-questions.ts')).controlEventsCommand,
  reads: async () => (await import('./commands/audit-questions.ts')).readsCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  runs: async () => (await import('./commands/runs.ts')).runsCommand,
  query: async () => (await import('./commands/audit-questions.ts')).queryCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  kill: async () => (await import('./commands/kill.ts')).killCommand,
  revive: async () => (await import('./commands/revive.ts')).reviveCommand,
  'mandates-file': async () => (await import('./commands/mandates-file.ts')).mandatesFileCommand,
  summary: async () => (await import('./commands/summary.ts')).summaryCommand,
  kills: async () => (await import('./commands/kills.ts')).killsCommand,
  approvals: async () => (await import('./commands/approvals.ts')).approvalsCommand,
  keys: async () => (await import('./commands/keys.ts')).keysCommand,
  tenants: async () => (await import('./commands/tenants.ts')).tenantsCommand,
  persons: async () => (await import('./commands/persons.ts')).personsCommand,
  alerts: async () => (await import('./commands/alerts.ts')).alertsCommand,
  'dead-letters': async () => (await import('./commands/dead-letters.ts')).deadLettersCommand,
  reconcile: async () => (await import('./commands/reconcile.ts')).reconcileCommand,
  snapshot: async () => (await import('./commands/snapshot.ts')).snapshotCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
} as const satisfies Readonly<Record<string, () => Promise<Describe>>>;

type Name = keyof typeof LOADERS;

/** The headings with their commands, in the order of the help. */
const GROUPS: Readonly<Record<string, readonly (readonly [name: Name, summary: string])[]>> = {
  Start: [
    ['up', 'run a whole plane in this process'],
    ['demo', 'show Mandate at work, in a minute'],
    ['init', 'write a manifest with its policy and its test cases'],
    ['login', 'keep the address and the key of a plane'],
    ['logout', 'forget them'],
    ['profiles', 'list the planes that you logged in to'],
  ],
  'What agents may do': [
    ['agents', 'list, show and register agents, and issue their keys'],
    ['policies', 'list and show policies, and go back to earlier versions'],
    ['manifest', 'make, import, check, compare, compile and publish agent manifests'],
    ['manifests', 'list and show published agent manifests, and go back to versions'],
    ['rules', 'list and show rules: which agents get which policy'],
    ['grants', 'issue, list and revoke grants'],
    ['apply', 'make agents, policies and rules equal to files'],
    ['diff', 'show how agents, policies and rules differ from files'],
    ['pull', 'write agents, policies and rules into files'],
    ['preview', 'show what would be decided, and why'],
    ['mandates-file', 'show the mandates file as the plane has read it'],
    ['search', 'find agents, policies, rules, keys and decisions'],
    ['values', 'list the values of a field of decisions'],
    ['lint', 'find mistakes between policies and rules'],
    ['validate', 'check files for mistakes'],
    ['test', 'run test cases of what agents may do, without a plane'],
    ['eval', 'decide a file of actions, without a plane'],
    ['prices', 'list the known prices of LLM calls'],
  ],
  'What agents do': [
    ['summary', 'show agents, open actions, kills and money in a few numbers'],
    ['publish', 'publish an action, or a file of them, and show the decisions'],
    ['tail', 'follow decisions and control events'],
    ['decisions', 'list, show and explain decisions'],
    ['spend', 'show what agents spent'],
    ['budgets', 'list budgets, and correct what they have spent'],
    ['analytics', 'count and sum what agents did'],
    ['settlements', 'list what outcomes changed'],
    ['control-events', 'list what operators and authors changed'],
    ['reads', 'list who asked the audit for what'],
    ['mcp', 'put an MCP server behind a proxy that decides each call'],
    ['run', 'start a run of an agent manifest, or play it without models'],
    ['runs', 'list, follow, cancel and retry runs of agent manifests'],
    ['query', 'list what context builders picked'],
    ['export', 'download the audit as files, and check such files'],
  ],
  'Stop and approve': [
    ['kill', 'stop an agent, a tenant, or everything'],
    ['revive', 'let an agent, a tenant, or everything act again'],
    ['kills', 'list kills: what is stopped now, who, why, and what ended them'],
    ['approvals', 'list, approve and deny actions that wait for a person'],
  ],
  'Run a plane': [
    ['keys', 'issue, list and revoke API keys'],
    ['tenants', 'open, limit and close tenants'],
    ['persons', 'find what was sealed for a person, and erase people'],
    ['alerts', 'list alerts and their rules, send them again'],
    ['dead-letters', 'correct records that could not be read'],
    ['reconcile', 'compare log, ledger and audit to the micro-dollar'],
    ['snapshot', 'take a snapshot of the log, for a fast rebuild'],
    ['audit', 'drop old months of the audit'],
    ['migrate', 'prepare Kafka, Redis and ClickHouse for a plane'],
    ['completion', 'print a completion script for your shell'],
  ],
};

export const SUBCOMMANDS: readonly Subcommand[] = Object.entries(GROUPS).flatMap(([heading, commands]) =>
  commands.map(([name, summary]) => ({
    name,
    summary,
    group: `${heading}:`,
    load: LOADERS[name],
  })),
);

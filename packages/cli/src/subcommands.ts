/** Every subcommand: its name, what it does in a few words, and where it is found. In the order of the help. */
import type { Command } from 'commander';
import type { RunCommand } from './command-context.ts';

/** Describes a command, its options and its work. */
type Describe = (command: Command, run: RunCommand) => void;

type Subcommand = { name: string; summary: string; load(): Promise<Describe> };

export const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: 'up',
    summary: 'run the whole plane in this process',
    load: async () => (await import('./commands/up.ts')).upCommand,
  },
  {
    name: 'migrate',
    summary: 'give Kafka, Redis and ClickHouse what a plane needs of them, or check it',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  {
    name: 'demo',
    summary: 'see the main job work, in a minute',
    load: async () => (await import('./commands/demo.ts')).demoCommand,
  },
  {
    name: 'validate',
    summary: 'check mandates, privacy documents and rules of alerts',
    load: async () => (await import('./commands/validate.ts')).validateCommand,
  },
  {
    name: 'apply',
    summary: 'make agents, policies and rules what files say',
    load: async () => (await import('./commands/apply.ts')).applyCommand,
  },
  {
    name: 'diff',
    summary: 'show in what agents, policies and rules differ from files',
    load: async () => (await import('./commands/apply.ts')).diffCommand,
  },
  {
    name: 'pull',
    summary: 'write agents, policies and rules into files',
    load: async () => (await import('./commands/pull.ts')).pullCommand,
  },
  {
    name: 'preview',
    summary: 'tell what would be decided, and why, changing nothing',
    load: async () => (await import('./commands/preview.ts')).previewCommand,
  },
  {
    name: 'lint',
    summary: 'tell what is amiss in policies and rules',
    load: async () => (await import('./commands/lint.ts')).lintCommand,
  },
  {
    name: 'test',
    summary: 'play cases of what agents may do, offline',
    load: async () => (await import('./commands/test.ts')).testCommand,
  },
  {
    name: 'eval',
    summary: 'decide a file of actions offline',
    load: async () => (await import('./commands/eval.ts')).evalCommand,
  },
  {
    name: 'publish',
    summary: 'publish an action, or a file of them, and show the decisions',
    load: async () => (await import('./commands/publish.ts')).publishCommand,
  },
  {
    name: 'tail',
    summary: 'show decisions as they fall, and what operators do',
    load: async () => (await import('./commands/tail.ts')).tailCommand,
  },
  {
    name: 'query',
    summary: 'ask the audit',
    load: async () => (await import('./commands/query.ts')).queryCommand,
  },
  {
    name: 'explain',
    summary: 'say why a decision fell as it did, and what would have changed it',
    load: async () => (await import('./commands/explain.ts')).explainCommand,
  },
  {
    name: 'export',
    summary: 'take the audit away as files, and check them',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  {
    name: 'agents',
    summary: 'list agents by what they spent: what they have open, what stops them',
    load: async () => (await import('./commands/agents.ts')).agentsCommand,
  },
  {
    name: 'mandates',
    summary: 'issue an agent a mandate that no change of a rule reaches; list and revoke them',
    load: async () => (await import('./commands/mandates.ts')).mandatesCommand,
  },
  {
    name: 'kill',
    summary: 'stop an agent, a tenant, or everything',
    load: async () => (await import('./commands/kill.ts')).killCommand,
  },
  {
    name: 'revive',
    summary: 'let an agent, a tenant, or everything act again',
    load: async () => (await import('./commands/revive.ts')).reviveCommand,
  },
  {
    name: 'kills',
    summary: 'list who pulled which kill switch, why, and who ended that',
    load: async () => (await import('./commands/kills.ts')).killsCommand,
  },
  {
    name: 'approvals',
    summary: 'list actions that wait for a person',
    load: async () => (await import('./commands/approvals.ts')).approvalsCommand,
  },
  {
    name: 'approve',
    summary: 'let an action run that waits for a person',
    load: async () => (await import('./commands/approve.ts')).approveCommand,
  },
  {
    name: 'deny',
    summary: 'refuse an action that waits for a person',
    load: async () => (await import('./commands/approve.ts')).denyCommand,
  },
  {
    name: 'alerts',
    summary: 'list alerts, send them again, try the webhooks',
    load: async () => (await import('./commands/alerts.ts')).alertsCommand,
  },
  {
    name: 'persons',
    summary: 'find what was sealed of a person, and forget people',
    load: async () => (await import('./commands/persons.ts')).personsCommand,
  },
  {
    name: 'adjust-budget',
    summary: 'correct what a budget has spent',
    load: async () => (await import('./commands/adjust-budget.ts')).adjustBudgetCommand,
  },
  {
    name: 'dead-letters',
    summary: 'look at records that could not be read, correct them and publish them again',
    load: async () => (await import('./commands/dead-letters.ts')).deadLettersCommand,
  },
  {
    name: 'reconcile',
    summary: 'compare log, ledger and audit, to the micro-dollar, and check the laws',
    load: async () => (await import('./commands/reconcile.ts')).reconcileCommand,
  },
  {
    name: 'snapshot',
    summary: 'take a snapshot of the log, so that a lost ledger is soon back',
    load: async () => (await import('./commands/snapshot.ts')).snapshotCommand,
  },
  {
    name: 'audit',
    summary: 'drop old months of the audit',
    load: async () => (await import('./commands/audit.ts')).auditCommand,
  },
  {
    name: 'keys',
    summary: 'issue, list and revoke API keys',
    load: async () => (await import('./commands/keys.ts')).keysCommand,
  },
  {
    name: 'tenants',
    summary: 'open, limit and close tenants',
    load: async () => (await import('./commands/tenants.ts')).tenantsCommand,
  },
  {
    name: 'completion',
    summary: 'print a completion script for your shell',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
];

/** Every mutation. For each one, at least one test must fail. */
import type { Mutation } from './mutation.ts';
import { AGENT_MANIFEST_MUTATIONS } from './rows/agent-manifests.ts';
import { CONTEXT_MUTATIONS } from './rows/context.ts';
import { GOVERNANCE_MUTATIONS } from './rows/governance.ts';
import { LEDGER_MUTATIONS } from './rows/ledger.ts';
import { MANIFEST_MUTATIONS } from './rows/manifests.ts';
import { MCP_IMPORT_MUTATIONS } from './rows/mcp-import.ts';
import { PACKAGE_MUTATIONS } from './rows/packages.ts';
import { POLICY_MUTATIONS } from './rows/policy.ts';
import { ARGUMENT_MUTATIONS } from './rows/policy-arguments.ts';
import { CONTROL_MUTATIONS } from './rows/policy-control.ts';
import { SDK_MUTATIONS } from './rows/sdk.ts';
import { SERVICE_MUTATIONS } from './rows/services.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...POLICY_MUTATIONS,
  ...ARGUMENT_MUTATIONS,
  ...CONTROL_MUTATIONS,
  ...GOVERNANCE_MUTATIONS,
  ...AGENT_MANIFEST_MUTATIONS,
  ...MANIFEST_MUTATIONS,
  ...LEDGER_MUTATIONS,
  ...SERVICE_MUTATIONS,
  ...PACKAGE_MUTATIONS,
  ...SDK_MUTATIONS,
  ...CONTEXT_MUTATIONS,
  ...MCP_IMPORT_MUTATIONS,
];

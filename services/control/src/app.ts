/**
 * The control plane: tenants, agents, policies, rules, issued mandates and the keys of people over HTTP. It decides
 * nothing and keeps nothing: a change is a record on the control topic, which takes effect at its place there, for
 * deciders as for readers here, or, if it expected a state that was no longer so, never. Any number of these may run.
 *
 *   request → change on the topic → what the fold of everybody made of it → answer
 *
 * The parts: writes/ (a request becomes a change, and what became of it), routes/ with a file for each kind of thing.
 */
import type { HttpReads } from '@mandate/access-log';
import { countAll, type HttpRoutes } from '@mandate/server';
import type { Control } from './control.ts';
import { readAgentKeys, writeAgentKeys } from './routes/agent-keys.ts';
import { readAgents, writeAgents } from './routes/agents.ts';
import { readIssuedMandates, writeIssuedMandates } from './routes/issued-mandates.ts';
import { readPolicies, writePolicies } from './routes/policies.ts';
import { previewMandate } from './routes/preview-mandate.ts';
import { readRoleKeys, writeRoleKeys } from './routes/role-keys.ts';
import { readRules, writeRules } from './routes/rules.ts';
import { showLint } from './routes/show-lint.ts';
import { readTenants, writeTenants } from './routes/tenants.ts';

/**
 * A plugin for an HTTP server of @mandate/runtime.
 * @param reads with which it is on record who reads, and who is turned away; null: it is on none
 */
export function controlRoutes(control: Control, reads: HttpReads | null): HttpRoutes {
  return async (server) => {
    await server.register(async (shown) => {
      reads?.recordAll(shown);
      for (const route of [
        readTenants,
        readAgents,
        readAgentKeys,
        readRoleKeys,
        readPolicies,
        readRules,
        readIssuedMandates,
        previewMandate,
        showLint,
      ])
        route(shown, control);
    });
    await server.register(async (changing) => {
      countAll(changing, 'changes');
      reads?.recordRefusals(changing);
      for (const route of [
        writeTenants,
        writeAgents,
        writeAgentKeys,
        writeRoleKeys,
        writePolicies,
        writeRules,
        writeIssuedMandates,
      ])
        route(changing, control);
    });
  };
}

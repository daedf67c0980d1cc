/**
 * The control plane: tenants, agents, policies, rules, grants, agent manifests and the keys of people over HTTP. The service decides
 * nothing and stores nothing. A change is a record on the control topic. It takes effect at its log position, for
 * deciders and for all readers. If it expected another state, it never takes effect. Any number of these services
 * may run.
 *
 *   request → change on the topic → result of the change in the fold → answer
 *
 * The parts: writes/ turns a request into a change, and the result of the change into an answer. routes/ has a file
 * for each kind of resource.
 */
import type { HttpReads } from '@mandate/access-log';
import { countAll, type HttpRoutes } from '@mandate/server';
import type { Control } from './control.ts';
import { readAgentKeys, writeAgentKeys } from './routes/agent-keys.ts';
import { readAgents, writeAgents } from './routes/agents.ts';
import { readGrants, writeGrants } from './routes/grants.ts';
import { readManifests } from './routes/manifests.ts';
import { readPolicies, writePolicies } from './routes/policies.ts';
import { previewMandate } from './routes/preview-mandate.ts';
import { writeManifests } from './routes/publish-manifests.ts';
import { readRoleKeys, writeRoleKeys } from './routes/role-keys.ts';
import { readRules, writeRules } from './routes/rules.ts';
import { searchDocuments } from './routes/search-documents.ts';
import { showEffective } from './routes/show-effective.ts';
import { showLint } from './routes/show-lint.ts';
import { showMandatesFile } from './routes/show-mandates-file.ts';
import { readTenants, writeTenants } from './routes/tenants.ts';

/**
 * Returns a plugin for an HTTP server of @mandate/server.
 * @param reads records who reads and who is refused; null: no reads are recorded
 */
export function controlRoutes(control: Control, reads: HttpReads | null): HttpRoutes {
  return async (server) => {
    await server.register(async (shown) => {
      reads?.recordAll(shown);
      for (const route of [
        readTenants,
        readAgents,
        showEffective,
        readAgentKeys,
        readRoleKeys,
        readPolicies,
        readRules,
        readGrants,
        readManifests,
        previewMandate,
        searchDocuments,
        showLint,
        showMandatesFile,
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
        writeGrants,
        writeManifests,
      ])
        route(changing, control);
    });
  };
}

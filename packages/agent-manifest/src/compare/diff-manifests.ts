/** Compares two valid manifests: what changed, how much it matters, and whether an agent gets more. */
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { catalogOf } from '../catalog.ts';
import { withDefaults } from '../with-defaults.ts';
import { agentsGivenMore, agentsOf, beyondAsked } from './agents-given.ts';
import { diffOf, type ManifestDiff } from './change.ts';
import { type Compared, definitionsChanged } from './definitions.ts';
import {
  type FieldRule,
  type FieldRules,
  fieldChanged,
  fieldsChanged,
  limitWidens,
  RESTRAINT,
} from './fields.ts';
import { metadataChanged } from './metadata.ts';
import { interfaceChanged, stateChanged } from './sides.ts';
import { workflowChanged } from './workflow.ts';

export function diffManifests(old: AgentManifest, now: AgentManifest): ManifestDiff {
  const [was, is] = [withDefaults(old), withDefaults(now)];
  // The catalogs belong to the manifests as written, because no reference can use a name that was filled in as a
  // default.
  const [before, after] = [agentsOf(catalogOf(old)), agentsOf(catalogOf(now))];
  const compared: Compared = {
    was: before,
    is: after,
    given: agentsGivenMore(before, after),
    isBeyond: beyondAsked(before, old, after),
  };
  return diffOf([
    ...fieldChanged('kind', was.kind, is.kind, { category: 'BREAKING' }),
    ...metadataChanged(was, is),
    ...interfaceChanged('interface', was.interface, is.interface),
    ...stateChanged('state.schema', was.state?.schema, is.state?.schema),
    ...fieldsChanged('state', was.state, is.state, { backend: { category: 'RESOURCE' } }),
    ...fieldsChanged('policy', was.policy, is.policy, POLICY),
    ...definitionsChanged(was.definitions, is.definitions, compared),
    ...workflowChanged(was.workflow, is.workflow, compared),
  ]);
}

const LIMIT: FieldRule = { category: 'GOVERNANCE', widens: limitWidens };

const POLICY: FieldRules = {
  max_steps: LIMIT,
  max_retries: LIMIT,
  timeout: LIMIT,
  human_in_the_loop: RESTRAINT,
};

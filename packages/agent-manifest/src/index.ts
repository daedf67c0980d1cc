/**
 * @mandate/agent-manifest: agents, tools and a workflow in one file, as people write them (`coreason.ai/v2`). The
 * package is pure: it gets texts and values, and returns documents, faults or the next step of a run.
 *
 * A manifest compiles to ordinary agents, policies and rules. So the code that decides actions does not need this
 * package.
 */
export { agentKeysOf } from './agent-steps.ts';
export {
  type AgentTool,
  type Catalog,
  catalogOf,
  type DefinitionKind,
  type Entry,
  findDefinition,
  findTool,
  toolNameOf,
} from './catalog.ts';
export { chartOf } from './chart.ts';
export { CATEGORIES, type Category, type ManifestDiff } from './compare/change.ts';
export { diffDocuments } from './compare/diff-documents.ts';
export { diffManifests } from './compare/diff-manifests.ts';
export { optionsChanged } from './compare/options.ts';
export { compileAgentManifest } from './compile/compile-agent-manifest.ts';
export { compileDocument } from './compile/compile-document.ts';
export type {
  CompiledAgentManifest,
  CompileOptions,
  CompileRefusal,
  CompileRefused,
} from './compile/compiled.ts';
export { slugOf } from './compile/ids.ts';
export { estimatedMicros } from './compile/model-price.ts';
export { type ChosenCase, chooseCase, type SwitchCases } from './conditions/choose-case.ts';
export { conditionFault } from './conditions/condition-fault.ts';
export { type FilledTemplate, fillTemplate, templateFault } from './conditions/fill-template.ts';
export { roomForExpressions } from './conditions/room.ts';
export type { RunSchemas, RunVariables } from './conditions/run-expressions.ts';
export {
  type CouncilResult,
  type CouncilStrategy,
  type CouncilVotes,
  countVotes,
} from './council.ts';
export { type GateAnswer, type GateViolation, gateViolations } from './gate/gate-violations.ts';
export { type GateFault, type LoadedGate, loadGate } from './gate/load-gate.ts';
export { compileGraphRecipe } from './graph/compile-graph-recipe.ts';
export { agentsNamedIn } from './graph/named-agents.ts';
export { readGraphRecipe } from './graph/read-graph-recipe.ts';
export { hashOfManifest } from './hash.ts';
export { importManifest } from './import/import-manifest.ts';
export {
  IMPORT_FORMATS,
  type Imported,
  type ImportFault,
  type ImportFormat,
  type ImportOptions,
  type ImportSource,
  type ImportWarning,
} from './import/imported.ts';
export { type LimitDocuments, limitDocuments } from './import/limit-documents.ts';
export { loadManifestOrGraph } from './load-manifest-or-graph.ts';
export {
  type Publication,
  type PublicationNote,
  type PublicationOptions,
  publicationOf,
  violationsOf,
} from './publication.ts';
export { publishedDocument } from './published-document.ts';
export { isFileOfCode } from './read/checks/paths.ts';
export type { AgentManifestFault, AgentManifestWarning, FaultCode, WarningCode } from './read/fault.ts';
export { type FileRead, filesInMemory, type ManifestFiles } from './read/manifest-files.ts';
export {
  loadAgentManifest,
  type ReadAgentManifest,
  type ReadOptions,
  readAgentManifest,
} from './read/read-agent-manifest.ts';
export { councilSettings } from './run/council-settings.ts';
export { eventOfResult, type StepResult } from './run/events-of-result.ts';
export { type MockedOutputs, mockRun } from './run/mock-run.ts';
export {
  type EventDraft,
  eventOfAnswer,
  type NextOfRun,
  nextOfRun,
  type PersonsAnswer,
} from './run/next-of-run.ts';
export { planOfDocument } from './run/plan-of-document.ts';
export { goOnPlaying, type PlayedStep, type Players, playRun } from './run/play-run.ts';
export type { RunPlan } from './run/run-plan.ts';
export { applyEvent, type CurrentStep, type Failure, type RunState, stateOfRun } from './run/run-state.ts';
export { takeOver } from './run/take-over.ts';
export { inputsOfRun, workflowOf, workflowPlan } from './run/workflow-plan.ts';
export { type SideSchema, sideSchema } from './side-schema.ts';
export { withDefaults } from './with-defaults.ts';

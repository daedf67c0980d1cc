/**
 * @mandate/runner: runs the workflows of agent manifests under governance. A run is a fold of its events on the log,
 * so any runner goes on with it after any event. Before each step, and before each call of a model or a tool, a runner
 * asks for the action as every agent does. The decision is the fence: of two runners only one is allowed.
 */
export { runnerSettings } from './config.ts';
export { openRunner } from './open-runner.ts';
export { openRunnerFile, type RunnerFile } from './runner-file.ts';

/** A step of a workflow that runs Python. */
import { createHash } from 'node:crypto';
import { isFileOfCode } from '@mandate/agent-manifest';
import { runLogic } from '../logic/run-logic.ts';
import { argsOf, type StepKind, type StepWork } from './perform-step.ts';
import { failed, loadedOf, type StepParts } from './step-parts.ts';
import { stepOf, wrongKind } from './written-step.ts';

export function logicKind(parts: StepParts): StepKind {
  return {
    // The person who confirms the step sees the hash of the code.
    async args(work) {
      const code = (await codeOf(parts, work)) ?? '';
      return { ...argsOf(work.current.inputs), codeHash: createHash('sha256').update(code).digest('hex') };
    },
    async do(work, { signal }) {
      if (parts.logic === null) return failed('LOGIC_OFF', 'This runner does not run code of manifests.');
      const code = await codeOf(parts, work);
      if (code === null) return failed('CODE_MISSING', 'The manifest was published without this file.');
      const { state, steps } = work.run;
      const ran = await runLogic(
        {
          code,
          inputs: work.current.inputs ?? null,
          state: Object.fromEntries(state),
          steps: Object.fromEntries(steps),
        },
        { ...parts.logic, signal },
      );
      return ran.ok ? { output: ran.output } : failed(ran.code, ran.message);
    },
  };
}

async function codeOf(parts: StepParts, work: StepWork): Promise<string | null> {
  const written = stepOf(await loadedOf(parts, work), work, 'logic');
  if (written === null) throw wrongKind(work);
  const { code } = written.step;
  return isFileOfCode(code) ? (written.loaded.files[code] ?? null) : code;
}

/** Checks fields that require or exclude each other. The schema of the document checks each field alone. */
import { type Found, found, type Path } from './fault.ts';
import { type Fields, fieldOf, isMap, writtenDefinitions, writtenSteps } from './written.ts';

export function fieldsTogether(document: unknown): Found[] {
  if (!isMap(document)) return [];
  return [
    ...workflowOfRecipe(document),
    ...designTwice(['metadata'], document.metadata),
    ...writtenSteps(document).flatMap(([path, step]) => designTwice(path, step)),
    ...writtenDefinitions(document, 'skill').flatMap(([path, skill]) => skillFaults(path, skill)),
    ...writtenDefinitions(document, 'agent').flatMap(([path, agent]) => memoryFaults(path, agent)),
  ];
}

function workflowOfRecipe(document: Fields): Found[] {
  if (document.kind !== 'Recipe' || Object.hasOwn(document, 'workflow')) return [];
  return [
    found(
      'FIELD_MISSING',
      ['workflow'],
      'is missing: a Recipe has steps. Add a workflow, or write kind: Agent',
    ),
  ];
}

export function designTwice(path: Path, part: unknown): Found[] {
  if (fieldOf(part, 'x-design') === undefined || fieldOf(part, 'design_metadata') === undefined) return [];
  return [
    found('FIELD_CONFLICT', [...path, 'design_metadata'], 'is another name of x-design: remove one of them'),
  ];
}

function skillFaults(path: Path, skill: Fields): Found[] {
  const has = (name: string) => Object.hasOwn(skill, name);
  const faults: Found[] = [];
  if (has('instructions') && has('instructions_uri'))
    faults.push(
      found(
        'FIELD_CONFLICT',
        [...path, 'instructions_uri'],
        'excludes instructions: remove one of them, because a skill has one text',
      ),
    );
  if (!has('instructions') && !has('instructions_uri'))
    faults.push(
      found(
        'FIELD_MISSING',
        [...path, 'instructions'],
        'is missing: write the text of the skill, or its file as instructions_uri',
      ),
    );
  const strategy = has('load_strategy') ? skill.load_strategy : 'lazy';
  if (strategy === 'lazy' && !has('trigger_intent'))
    faults.push(
      found(
        'FIELD_MISSING',
        [...path, 'trigger_intent'],
        'is missing: a lazy skill says when the model loads it. Add it, or write load_strategy: eager',
      ),
    );
  return faults;
}

function memoryFaults(path: Path, agent: Fields): Found[] {
  const memory = fieldOf(agent.runtime, 'memory');
  if (fieldOf(memory, 'strategy') !== 'summary' || fieldOf(memory, 'summary_prompt') !== undefined) return [];
  return [
    found(
      'FIELD_MISSING',
      [...path, 'runtime', 'memory', 'summary_prompt'],
      'is missing: the strategy summary needs the prompt that makes the summary',
    ),
  ];
}

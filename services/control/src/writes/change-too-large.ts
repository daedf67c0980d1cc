import { HttpProblem } from '@mandate/server';

/** @param fault completes the phrase "as a record of the log it …" */
export function changeTooLarge(fault: string, remedy: string): HttpProblem {
  return new HttpProblem(413, 'CHANGE_TOO_LARGE', `as a record of the log it ${fault}`, { remedy });
}

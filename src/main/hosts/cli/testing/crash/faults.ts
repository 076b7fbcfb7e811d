/** What a crash test looks for, and what it found. */
export type FaultKind = 'lost' | 'twice' | 'left behind';
export type Fault = { kind: FaultKind; what: string };

export class Faults {
  readonly #list: Fault[] = [];
  readonly #onFault: (fault: Fault) => void;

  constructor(onFault: (fault: Fault) => void = () => undefined) {
    this.#onFault = onFault;
  }

  add(kind: FaultKind, what: string): void {
    const fault = { kind, what };
    this.#list.push(fault);
    this.#onFault(fault);
  }

  get list(): readonly Fault[] {
    return this.#list;
  }

  count(kind: FaultKind): number {
    return this.#list.filter((fault) => fault.kind === kind).length;
  }
}

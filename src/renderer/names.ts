/*
 * Accessible names of the window, in one place: tests select by role and name.
 *   region      Gauges, Queue, Panes, Inspector, Views (navigation), one per pane: `Pane <session title>`
 *   region      in Gate: Audit, Proof; in Slots: Doctor, Saved work
 *   grid        Queue → row per job, its name starts with the ticket id
 *   meter       CPU, RAM, Running, Queued, Slots
 *   dialog      Add repository, New tickets, Command palette, New terminal, Finish session, Accept finding, Recover as branch
 *   button      Try the sample, Add repository, New tickets, Submit tickets, Warm slots, …
 * Terminals are read through the accessibility tree when the setting 'Screen reader support in terminals' is on.
 */
export const NAMES = {
  views: 'Views',
  gauges: 'Gauges',
  queue: 'Queue',
  panes: 'Panes',
  inspector: 'Inspector',
  background: 'Background sessions',
  notices: 'Notices',
  palette: 'Command palette',
  trySample: 'Try the sample',
  addRepository: 'Add repository',
  newTickets: 'New tickets',
  submitTickets: 'Submit tickets',
  warmSlots: 'Warm slots',
  newTerminal: 'New terminal',
  finishSession: 'Finish: gate and merge',
  agree: 'Agree to these commands',
} as const;

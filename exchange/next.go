package exchange

import (
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Begin starts an exchange.
func Begin(now time.Time, request Request, policy Policy) (Machine, []Effect) {
	m := Machine{Request: request, Policy: policy}
	return m.locate(now)
}

// Next is the transition function: the machine after the event, and what has to
// be done now. An event that means nothing in the present state changes nothing.
func (m Machine) Next(now time.Time, event Event) (Machine, []Effect) {
	switch e := event.(type) {
	case Cancel:
		return m.cancel(now)
	case OpenRoam:
		return m.openRoam(now)
	case Retry:
		return m.retry(now)
	case AskAgain:
		if !m.endedWithoutToken() {
			return m, nil
		}
		m.Request.AccessLevel, m.Request.Token = e.AccessLevel, localapi.Token{}
		return m.locate(now)
	case UseToken:
		if !m.endedWithoutToken() {
			return m, nil
		}
		m.Request.Token = e.Token
		return m.locate(now)
	case TimePassed:
		return m.timePassed(now)
	case Located:
		return m.located(now, e.Graph)
	case LocateFailed:
		return m.locateFailed(now, e.Err)
	case TokenGranted:
		return m.tokenGranted(now, e.Grant)
	case RequestFailed:
		return m.requestFailed(now, e.Err)
	}
	return m, nil
}

// enter changes the state and forgets what belonged to the one before.
func (m Machine) enter(now time.Time, state State) Machine {
	if m.State != state {
		m.Since = now
	}
	m.State = state
	m.Deadline, m.NextTry = time.Time{}, time.Time{}
	m.inFlight, m.broken = false, nil
	return m
}

func (m Machine) endWith(now time.Time, state State, err *problem.Error) Machine {
	m = m.enter(now, state)
	m.Err, m.busySince = err, time.Time{}
	return m
}

// looks reports whether a look for Roam is under way: its answer is late otherwise.
func (m Machine) looks() bool {
	return m.inFlight && (m.State == Locating || m.State == Unreachable || m.State == Disabled)
}

// asks reports whether Roam's word on a request or a token is awaited.
func (m Machine) asks() bool {
	return m.inFlight && (m.State == Waiting || m.State == Busy || m.State == Verifying)
}

// endedWithoutToken reports whether a person may start again from here.
func (m Machine) endedWithoutToken() bool {
	switch m.State {
	case Rejected, Blocked, TimedOut, Failed, Cancelled:
		return true
	case Locating, Unreachable, Disabled, Waiting, Busy, Verifying, Granted:
	}
	return false
}

func (m Machine) locate(now time.Time) (Machine, []Effect) {
	m = m.enter(now, Locating)
	m.Since = now
	m.Err, m.Tries, m.Opened, m.busySince = nil, 0, false, time.Time{}
	m.inFlight = true
	return m, []Effect{Locate}
}

func (m Machine) located(now time.Time, graph localapi.Graph) (Machine, []Effect) {
	if !m.looks() {
		return m, nil
	}
	if m.broken != nil {
		return m.endWith(now, Failed, m.broken), nil
	}
	m.Request.Graph = graph
	m.Err, m.Tries = nil, 0
	if !m.Request.Token.IsZero() {
		m = m.enter(now, Verifying)
		m.inFlight = true
		m.Deadline = now.Add(m.Policy.timeout())
		return m, []Effect{Verify}
	}
	return m.ask(now)
}

func (m Machine) ask(now time.Time) (Machine, []Effect) {
	m = m.enter(now, Waiting)
	m.Since = now
	m.Deadline = now.Add(m.Policy.timeout())
	m.inFlight = true
	return m, []Effect{Ask}
}

func (m Machine) locateFailed(now time.Time, err *problem.Error) (Machine, []Effect) {
	if !m.looks() {
		return m, nil
	}
	switch err.Code {
	case localapi.CodeConnectionFailed, localapi.CodeNotRoam, localapi.CodeOtherUser, localapi.CodeTimeout:
		return m.absent(now, Unreachable, err), nil
	case localapi.CodeDisabled:
		return m.absent(now, Disabled, err), nil
	}
	return m.endWith(now, Failed, err), nil
}

// absent enters Unreachable or Disabled, or stays there for the next try.
func (m Machine) absent(now time.Time, state State, err *problem.Error) Machine {
	if m.State != state {
		m.Tries = 0
	}
	since := m.Since
	if m.State != Unreachable && m.State != Disabled {
		since = now
	}
	m = m.enter(now, state)
	m.Err = err
	m.Since = since // the limit of the wait runs on from one to the other
	if !m.Policy.Wait {
		return m
	}
	m.Tries++
	m.NextTry = now.Add(disabledInterval)
	if state == Unreachable {
		m.NextTry = now.Add(m.Policy.backoff(m.Tries))
	}
	if m.Policy.WaitLimit > 0 {
		m.Deadline = m.Since.Add(m.Policy.WaitLimit)
	}
	return m
}

func (m Machine) tokenGranted(now time.Time, grant localapi.TokenGrant) (Machine, []Effect) {
	if !m.asks() {
		return m, nil
	}
	m = m.endWith(now, Granted, nil)
	m.Grant = grant
	return m, nil
}

func (m Machine) requestFailed(now time.Time, err *problem.Error) (Machine, []Effect) {
	if !m.asks() {
		return m, nil
	}
	switch err.Code {
	case localapi.CodeUserRejected:
		return m.endWith(now, Rejected, err), nil
	case localapi.CodeGraphBlocked:
		return m.endWith(now, Blocked, err), nil
	case localapi.CodeTimeout:
		return m.endWith(now, TimedOut, err), nil
	case localapi.CodeCancelled:
		return m.endWith(now, Cancelled, err), nil
	case localapi.CodeRequestInProgress:
		return m.busy(now, err), nil
	case localapi.CodeDisabled:
		return m.absent(now, Disabled, err), nil
	case localapi.CodeConnectionFailed, localapi.CodeNotRoam, localapi.CodeOtherUser:
		if !err.Sent() { // it never left, so it can be made again
			return m.absent(now, Unreachable, err), nil
		}
		return m.brokeOff(now, err)
	}
	return m.endWith(now, Failed, err), nil
}

// brokeOff looks what has become of Roam when a request broke off. Where Roam
// has gone, its dialog has too: the request is made again once Roam is back.
// Where it is still there, the request may have been answered and the answer
// lost, so a person decides.
func (m Machine) brokeOff(now time.Time, err *problem.Error) (Machine, []Effect) {
	if !m.Policy.Wait {
		return m.endWith(now, Failed, err), nil
	}
	m, effects := m.locate(now)
	m.broken = err
	return m, effects
}

func (m Machine) busy(now time.Time, err *problem.Error) Machine {
	since := m.busySince
	if since.IsZero() {
		since, m.Tries = now, 0
	}
	m = m.enter(now, Busy)
	m.Err, m.Since, m.busySince = err, since, since
	m.Tries++
	m.NextTry = now.Add(m.Policy.backoff(m.Tries))
	m.Deadline = since.Add(m.Policy.timeout())
	return m
}

func (m Machine) cancel(now time.Time) (Machine, []Effect) {
	if m.State == Granted || m.State == Cancelled {
		return m, nil
	}
	var effects []Effect
	if m.inFlight {
		effects = []Effect{Abort}
	}
	return m.endWith(now, Cancelled, nil), effects
}

func (m Machine) openRoam(now time.Time) (Machine, []Effect) {
	switch m.State {
	case Unreachable:
		m.Opened = true
		if m.Policy.Wait && !m.inFlight {
			m.Tries, m.NextTry = 0, now.Add(m.Policy.backoff(1))
		}
		return m, []Effect{Open}
	case Waiting, Busy, Disabled, Blocked: // of a blocked one the settings are there
		m.Opened = true
		return m, []Effect{Open}
	case Locating, Verifying, Granted, Rejected, TimedOut, Failed, Cancelled: // there is nothing to do in Roam
	}
	return m, nil
}

func (m Machine) retry(now time.Time) (Machine, []Effect) {
	switch {
	case m.endedWithoutToken():
		return m.locate(now)
	case m.State == Unreachable || m.State == Disabled:
		m.inFlight, m.NextTry = true, time.Time{}
		return m, []Effect{Locate}
	case m.State == Busy && !m.inFlight:
		return m.askWhileBusy(now)
	}
	return m, nil
}

func (m Machine) timePassed(now time.Time) (Machine, []Effect) {
	if m.Ended() {
		return m, nil
	}
	if !m.Deadline.IsZero() && !now.Before(m.Deadline) {
		return m.runOut(now)
	}
	if m.NextTry.IsZero() || now.Before(m.NextTry) {
		return m, nil
	}
	switch {
	case m.State == Busy && m.inFlight: // not refused at once: the dialog is open
		m.State, m.Since = Waiting, now
		m.Err, m.NextTry = nil, time.Time{}
		m.Deadline = now.Add(m.Policy.timeout())
		return m, nil
	case m.State == Busy:
		return m.askWhileBusy(now)
	case m.State == Unreachable || m.State == Disabled:
		m.inFlight, m.NextTry = true, time.Time{}
		return m, []Effect{Locate}
	}
	return m, nil
}

// askWhileBusy asks again and stays Busy until it is clear that Roam has taken
// the request, so that the screen does not flicker at every refusal.
func (m Machine) askWhileBusy(now time.Time) (Machine, []Effect) {
	m.inFlight, m.NextTry = true, now.Add(settleTime)
	return m, []Effect{Ask}
}

// runOut ends a state whose deadline has come. What was waited for stays the
// reason, so that a command can tell "busy" from "no answer".
func (m Machine) runOut(now time.Time) (Machine, []Effect) {
	var effects []Effect
	if m.inFlight {
		effects = []Effect{Abort}
	}
	err := m.Err
	if err == nil {
		err = &problem.Error{
			Code: localapi.CodeTimeout, Call: &problem.Call{Sent: true},
			Message: "Nobody answered the request in Roam in time.",
			Hint:    problem.Say("Ask again when you are at Roam."),
		}
	}
	return m.endWith(now, TimedOut, err), effects
}

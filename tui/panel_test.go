package tui

import (
	"testing"
	"time"

	"roam-mcp/localapi"
)

func TestASecondPressDoesNotAnswerARequestThatNobodyHasSeen(t *testing.T) {
	h := newHarness(t, 80, 24, fresh)
	h.desk.updates <- []AccessRequest{
		{ID: "1", Graph: hosted("demo"), Description: "Ada", AccessLevel: localapi.ReadOnly},
		{ID: "2", Graph: offline("notebook"), Description: "somebody", AccessLevel: localapi.Full},
	}
	h.untilShown("“Ada” asks for read only access to demo")
	h.press("a", "a")
	if !h.shows("“somebody” asks for full access to notebook") {
		t.Fatalf("the second request is not shown, or answered:\n%s", h.screen())
	}
	if decided := <-h.desk.answers; decided != Allow {
		t.Errorf("the first request got %v", decided)
	}
	h.mu.Lock()
	h.now = h.now.Add(time.Second)
	h.mu.Unlock()
	h.press("n")
	if decided := <-h.desk.answers; decided != Deny {
		t.Errorf("the second request got %v", decided)
	}
}

package desk

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/problem"
)

func TestARequestEndsAsItWasSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, Options{Policy: Ask})
		for _, want := range []problem.Code{
			localapi.CodeUserRejected, localapi.CodeGraphBlocked, localapi.CodeRequestInProgress,
			localapi.CodeCancelled, localapi.CodeInternal, localapi.CodeTimeout,
		} {
			began := time.Now()
			_, err := d.RequestEnding(t.Context(), access(demo), Ending{Code: want})
			if waited := time.Since(began); problem.CodeOf(err) != want || (waited == DefaultAnswerLimit) != (want == localapi.CodeTimeout) {
				t.Errorf("%s: %v after %v", want, err, waited)
			}
		}
		if len(d.Pending()) != 0 || len(d.Blocked()) != 0 || len(d.Tokens()) != 0 {
			t.Error("something is left of it")
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := d.RequestEnding(ctx, access(demo), Ending{Code: localapi.CodeTimeout}); problem.CodeOf(err) != localapi.CodeCancelled {
			t.Errorf("one who went away: %v", err)
		}
	})
}

func TestASettledGrantIsNeverAboveWhatWasAskedFor(t *testing.T) {
	d := open(t, Options{Policy: Never})
	for most, want := range map[localapi.AccessLevel]localapi.AccessLevel{
		"": localapi.ReadAppend, localapi.Full: localapi.ReadAppend, localapi.ReadOnly: localapi.ReadOnly,
	} {
		asked := access(demo)
		asked.AccessLevel = localapi.ReadAppend
		grant, err := d.RequestEnding(t.Context(), asked, Ending{AccessLevel: most})
		if err != nil || grant.AccessLevel != want {
			t.Errorf("at most %q: %q, %v", most, grant.AccessLevel, err)
			continue
		}
		if info, err := d.Check(grant.Token.Reveal(), demo); err != nil || info.AccessLevel != want {
			t.Errorf("%+v, %v", info, err)
		}
	}
	if _, err := d.RequestEnding(t.Context(), Access{}, Ending{}); problem.CodeOf(err) != localapi.CodeValidation {
		t.Errorf("a request that makes no sense: %v", err)
	}
}

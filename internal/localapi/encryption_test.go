package localapi

import (
	"net/http"
	"testing"

	"roam-mcp/internal/problem"
)

func TestEncryption(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		body   string
		want   Encryption
		code   problem.Code // of the error; empty: none
	}{
		"true says that it is":             {200, `{"success":true,"result":true}`, Encrypted, ""},
		"false says that it is not":        {200, `{"success":true,"result":false}`, NotEncrypted, ""},
		"the word true says nothing":       {200, `{"success":true,"result":"true"}`, EncryptionUnsaid, ""},
		"the word false says nothing":      {200, `{"success":true,"result":"false"}`, EncryptionUnsaid, ""},
		"null says nothing":                {200, `{"success":true,"result":null}`, EncryptionUnsaid, ""},
		"a number says nothing":            {200, `{"success":true,"result":0}`, EncryptionUnsaid, ""},
		"an object says nothing":           {200, `{"success":true,"result":{"encrypted":false}}`, EncryptionUnsaid, ""},
		"no result says nothing":           {200, `{"success":true}`, EncryptionUnsaid, ""},
		"a reported failure says nothing":  {200, `{"success":false,"error":"no"}`, EncryptionUnsaid, ""},
		"an unknown action says nothing":   {404, `{"success":false,"error":"Unknown action graph.isEncrypted"}`, EncryptionUnsaid, ""},
		"a 404 alone says nothing":         {404, ``, EncryptionUnsaid, ""},
		"an exception says nothing":        {500, `{"success":false,"error":"graph.isEncrypted is not a function"}`, EncryptionUnsaid, ""},
		"an invalid call says nothing":     {400, `{"success":false,"error":{"code":"VALIDATION_ERROR","message":"no"}}`, EncryptionUnsaid, ""},
		"a refused scope says nothing":     {403, `{"success":false,"error":{"code":"INSUFFICIENT_SCOPE","message":"no"}}`, EncryptionUnsaid, ""},
		"a window that closes is no reply": {500, `{"success":false,"error":"Promise error"}`, EncryptionUnsaid, CodeWindowClosed},
		"a limit is no reply":              {500, `{"success":false,"error":"rate limit exceeded"}`, EncryptionUnsaid, CodeRateLimited},
		"an unknown token is no reply":     {401, `{"success":false,"error":{"code":"TOKEN_NOT_FOUND","message":"no"}}`, EncryptionUnsaid, CodeTokenNotFound},
		"another version is no reply":      {400, `{"success":false,"error":{"code":"VERSION_MISMATCH","message":"no"}}`, EncryptionUnsaid, CodeVersionMismatch},
		"a missing graph is no reply":      {404, `{"success":false,"error":"Graph not found"}`, EncryptionUnsaid, CodeGraphNotFound},
		"half a reply is no reply":         {200, `{"success":true,"result":fa`, EncryptionUnsaid, CodeInvalidReply},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := serve(t, answer(tc.status, tc.body)).Encryption(t.Context(), Graph{"notes", Hosted}, secretToken(t))
			if got != tc.want || problem.CodeOf(err) != tc.code || (err == nil) != (tc.code == "") {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	t.Run("a broken connection is no reply", func(t *testing.T) {
		client := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		if got, err := client.Encryption(t.Context(), Graph{"notes", Hosted}, secretToken(t)); got != EncryptionUnsaid || problem.CodeOf(err) != CodeConnectionFailed {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

package protocol

import (
	"encoding/json"
	"syscall"
)

type fileEvent struct {
	Event *struct {
		Path string   `json:"path"`
		Ops  []string `json:"ops"`
	} `json:"event"`
	Error *struct {
		Errno   int    `json:"errno"`
		Message string `json:"message"`
	} `json:"error"`
}

// tellFiles hands a told event on; what doesn't fit ends the watch, with the reason.
func tellFiles(params json.RawMessage, tell func(ops []string, name string, err error)) {
	told, err := Decode[fileEvent](params)
	switch {
	case err != nil:
		tell(nil, "", err)
	case told.Error != nil && told.Error.Errno != 0:
		tell(nil, "", syscall.Errno(told.Error.Errno))
	case told.Error != nil:
		tell(nil, "", &Error{Code: codeOS, Message: told.Error.Message})
	case told.Event != nil:
		tell(told.Event.Ops, told.Event.Path, nil)
	}
}

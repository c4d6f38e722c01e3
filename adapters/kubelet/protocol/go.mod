module podsource/protocol

go 1.26

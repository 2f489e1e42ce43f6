# cmake -DARCHIVE=a.a -DADD=b.a -DAR=ar -P merge_archives.cmake: puts b's members into a.
file(WRITE ${ARCHIVE}.mri "OPEN ${ARCHIVE}\nADDLIB ${ADD}\nSAVE\nEND\n")
execute_process(COMMAND ${AR} -M INPUT_FILE ${ARCHIVE}.mri RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cannot merge ${ADD} into ${ARCHIVE}")
endif()
